"""Search: what joins circuits, constraint networks and, later, trees."""
