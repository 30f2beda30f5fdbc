"""A fourth rule system: `campaign_tides` is a package of its own, with its folder, its data and no other file."""
