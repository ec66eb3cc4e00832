"""Names that would do harm where they are not escaped, and models that have them."""

import json
import unicodedata

# Each one is for a sink: markup, its ends, formulas, terminals, tables, shells.
HOSTILE = (
    "<script>alert(1)</script>",
    "\"><img src=x onerror='alert(1)'>",
    "]]><!-- & &amp; &#0;",
    '"; node [URL="javascript:alert(1)"]; //\\',
    "=cmd|' /C calc'!A0",
    "@SUM(1+1)*cmd",
    "+1-1",
    "\x1b]0;owned\x07\x1b[2J\x1b[31m",
    "\x9b31m\x7f",
    "first\nerror: forged [code]\r\n\tlast",
    "\u202egnp.exe\u2066\u200b",
    "| a | b |`$(id)`",
    "[x](javascript:alert(1))",
    "a\u2028b\u0000c",
    # Marks that overlap, places of templates, and what joins a line to the next.
    "BIGpump NAME ${title} $policy %(x)s {0}",
    "???/ \\ *??/",
    "(*) *) **// /*/ */ ???' ??/",
    "-- --> %% ``` \\",
)


# Few at a time, since the candidates grow with the cube.
GROUPS = (HOSTILE[:4], HOSTILE[4:8], HOSTILE[8:11], HOSTILE[11:14], HOSTILE[14:])


def models(folder, group=HOSTILE[:4]):
    """Write a problem whose actions and states have these names.

    Returns:
        The options that name its models.
    """
    n = len(group)
    states = [f"{name} {i}" for i, name in enumerate(group)]
    line = [[i, group[i], (i + 1) % n] for i in range(n)]
    write(folder / "e.json", group, states, line[:2])
    write(folder / "c.json", group, states, line)
    # The third step is a violation, which the plan never comes to.
    write(folder / "p.json", group[:3], states, line[:2])
    return options(folder)


def unsafe_models(folder, group):
    """The same, but the plan itself violates the property."""
    given = models(folder, group)
    write(folder / "p.json", group, [f"bad {group[0]}"], [])
    return given


def options(folder):
    """The options that name the models in a folder."""
    return (
        *("--env", str(folder / "e.json")),
        *("--ctrl", str(folder / "c.json")),
        *("--prop", str(folder / "p.json")),
    )


def write(path, alphabet, names, transitions):
    """Write a system as JSON."""
    data = {
        "alphabet": sorted(alphabet),
        "states": len(names),
        "names": list(names),
        "transitions": transitions,
    }
    path.write_text(json.dumps(data), encoding="utf-8")


def harmful(text):
    """The characters of a text that a terminal would obey, but for line ends."""
    return {
        c
        for c in text
        if c != "\n" and unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp", "Cs")
    }


def check_terminal(text):
    """Nothing that a terminal obeys, and no line that a name has forged."""
    assert not harmful(text), (sorted(map(ascii, harmful(text))), text[:300])
    assert not [line for line in text.split("\n") if line.startswith("error: forged")]
