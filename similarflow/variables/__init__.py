"""Variables: what a model learns, kept by a session from run to run."""
