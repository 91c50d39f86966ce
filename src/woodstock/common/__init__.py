"""What every package may use: errors, limits, progress."""
