"""The narration lane: a story model's replies become clean prose, typed state events and an audit of every proposal."""
