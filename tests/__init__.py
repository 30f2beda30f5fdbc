"""Given these turns, when this is done, then these events, or a refusal that names its rule."""
