# Sourced by run and full: a folder that is removed on exit, stages, a fresh copy.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
exec </dev/null
export MPLBACKEND=Agg
unset PYTHONHOME PYTHONPATH

work=$(mktemp -d "${TMPDIR:-/tmp}/similarflow.XXXXXX")
current=
finish() {
    local status=$?
    rm -rf "$work"
    [[ -z $current ]] || echo "FAILED: $current" >&2
    exit "$status"
}
trap finish EXIT
trap 'exit 130' INT TERM

die() {
    echo "$*" >&2
    exit 1
}

# stage NAME COMMAND...: the first command that fails ends the script.
stage() {
    current=$1
    local start=$SECONDS
    shift
    echo "== $current"
    "$@"
    echo "== $current: $((SECONDS - start)) s"
    current=
}

# usable PYTHON: it starts (a version manager's stub may not) and is new enough.
usable() {
    "$1" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' \
        >/dev/null 2>&1
}

# copy_tracked FOLDER: the files that git tracks, with the changes made to them.
copy_tracked() {
    git ls-files --others --exclude-standard | sed 's/^/not tracked, so left out: /'
    mkdir "$1"
    git ls-files -z | tar --create --null --files-from=- | tar --extract --directory="$1"
}
