"""Rules of the house that no other tool checks."""

import re
import subprocess
import sys

import pytest

from tests.conftest import ROOT

SUBJECT = (
    "robot|robotics|humanoid|ros|ros2|urdf|xacro|sdf|gazebo|unity|isaac|replicator|openusd|vslam|"
    "slam|nav2|gait|zmp|kinematics|jacobian|gripper|vla|rclpy"
)


def test_the_library_knows_no_subject() -> None:
    word = re.compile(rf"\b(?:{SUBJECT})s?\b", re.IGNORECASE)
    found = [
        f"{file.relative_to(ROOT)}:{number}"
        for file in sorted((ROOT / "rag").rglob("*.py"))
        for number, line in enumerate(file.read_text().splitlines(), start=1)
        if word.search(line)
    ]
    assert found == []


@pytest.mark.parametrize("heavy", ["streamlit", "onnxruntime", "tokenizers", "qdrant_edge"])
def test_importing_does_not_load_what_may_not_be_needed(heavy: str) -> None:
    code = f"import rag.cli, sys; sys.exit({heavy!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT).returncode == 0
