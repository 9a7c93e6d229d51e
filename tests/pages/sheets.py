"""What our own HTML element shows, which AppTest has no name for."""

import json

from streamlit.testing.v1 import AppTest


def sheets(page: AppTest) -> list[str]:
    """The HTML of every sheet on the page, in order."""
    found = [element.proto for element in page.get("bidi_component")]
    return [json.loads(p.json)["html"] for p in found if p.component_name == "lectern_sheet"]
