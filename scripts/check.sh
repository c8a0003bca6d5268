#!/bin/sh
# Says in one line what is missing before make starts anything. Usage: check.sh <python>
python=$1
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
    echo "Python 3.10 or newer is needed: '$python' is missing or older (make PYTHON=... takes another)." >&2
    exit 1
fi
if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
    echo "Python's venv module is needed: '$python' comes without it (on Debian: package python3-venv)." >&2
    exit 1
fi
if [ -n "${JAVA_HOME:-}" ]; then java=$JAVA_HOME/bin/java; else java=java; fi
version=$("$java" -version 2>&1 | sed -n 's/.*version "\(1\.\)\{0,1\}\([0-9][0-9]*\).*/\2/p' | head -n 1)
if [ "${version:-0}" -lt 17 ]; then
    echo "Java 17 or newer is needed: '$java' is ${version:+Java }${version:-missing}." >&2
    exit 1
fi
