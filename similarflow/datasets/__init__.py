"""Small real data that come with the package: nothing is downloaded."""

from .digits import Digits, load_digits

__all__ = ["Digits", "load_digits"]
