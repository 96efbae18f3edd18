"""The same small programs on TensorFlow (recorded) and on similarflow."""
