"""The compiled engine: a plan is prepared once, and runs with the least Python."""
