"""Licence of a package, as an SPDX expression from its metadata."""

from email.message import Message

UNKNOWN = "unknown"
# Classifiers that name one licence. "BSD License", for example, may be one of several.
_CLASSIFIERS = {
    "Apache Software License": "Apache-2.0",
    "MIT License": "MIT",
    "MIT No Attribution License (MIT-0)": "MIT-0",
    "ISC License (ISCL)": "ISC",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
    "The Unlicense (Unlicense)": "Unlicense",
    "Zope Public License": "ZPL-2.1",
    "GNU General Public License v2 (GPLv2)": "GPL-2.0-only",
    "GNU General Public License v2 or later (GPLv2+)": "GPL-2.0-or-later",
    "GNU General Public License v3 (GPLv3)": "GPL-3.0-only",
    "GNU General Public License v3 or later (GPLv3+)": "GPL-3.0-or-later",
    "GNU Lesser General Public License v3 (LGPLv3)": "LGPL-3.0-only",
    "GNU Lesser General Public License v3 or later (LGPLv3+)": "LGPL-3.0-or-later",
    "BSD License": "LicenseRef-BSD",
}
# Texts of the free field `License` that name one licence.
_TEXTS = {
    "mit": "MIT",
    "mit license": "MIT",
    "the mit license": "MIT",
    "apache 2.0": "Apache-2.0",
    "apache-2.0": "Apache-2.0",
    "apache license 2.0": "Apache-2.0",
    "apache license, version 2.0": "Apache-2.0",
    "bsd-2-clause": "BSD-2-Clause",
    "bsd-3-clause": "BSD-3-Clause",
    "bsd 3-clause": "BSD-3-Clause",
    "bsd 3-clause license": "BSD-3-Clause",
    "bsd": "LicenseRef-BSD",
    "isc": "ISC",
    "mpl-2.0": "MPL-2.0",
    "psf-2.0": "PSF-2.0",
}


def find_license(metadata: Message) -> str:
    """The licence from `License-Expression`, or else from `License` or the classifiers.

    License: MIT -> "MIT"; two classifiers -> "Apache-2.0 OR MIT"; nothing -> "unknown"
    """
    expression = metadata.get("License-Expression")
    if expression:
        return expression.strip()
    text = (metadata.get("License") or "").strip().lower()
    if text in _TEXTS:
        return _TEXTS[text]
    names = [
        line.rpartition(" :: ")[2]
        for line in metadata.get_all("Classifier") or ()
        if line.startswith("License :: ")
    ]
    known = sorted({_CLASSIFIERS[name] for name in names if name in _CLASSIFIERS})
    return " OR ".join(known) or UNKNOWN
