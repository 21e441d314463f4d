"""The offline reader: survey, census and content answered from page text by rules, with no key and no network."""
