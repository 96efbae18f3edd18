"""How a graph runs: the session and its engines."""
