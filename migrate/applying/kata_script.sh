#!/bin/sh
# Repairs of the metadata of kata issues, one command a key, each only at the revision that the plan saw.
# @ABOUT@
# Usage: sh THIS [--keep-going]
#
# Stops at the first command that fails, with its exit code; --keep-going goes on and ends with 1. What is done is
# noted in THIS.done, so that the same call goes on where it stopped. DONE names another file for it.
set -u

keep_going=no
for word in "$@"; do
    case $word in
        --keep-going) keep_going=yes ;;
        *) echo "usage: sh $0 [--keep-going]" >&2; exit 2 ;;
    esac
done
done_file=${DONE:-$0.done}
failed=0
touch "$done_file" || exit 1

noted() { grep -qxF -e "$1" "$done_file"; }
note() { printf '%s\n' "$1" >>"$done_file"; }

# Whether the key is as it shall be already: asked only where a command may have been cut off before it was noted.
as_wanted() {
    if [ "$1" = unset ]; then
        kata meta get "$ref" "$key" ${project+--project "$project"} >/dev/null 2>&1
        [ $? -eq 4 ]
    else
        found=$(kata meta get "$ref" "$key" ${project+--project "$project"} 2>/dev/null && echo .) || return 1
        [ "$found" = "$want
." ]
    fi
}

step() {
    number=$1
    shift
    noted "$number" && return 0
    begun=no
    if noted "$number begun"; then begun=yes; else note "$number begun"; fi
    "$@"
    code=$?
    if [ "$code" -eq 0 ]; then
        note "$number"
    elif [ "$begun" = yes ] && as_wanted "$3"; then
        note "$number"
    else
        echo "step $number failed with $code: $key of $ref" >&2
        [ "$keep_going" = yes ] || exit "$code"
        failed=$((failed + 1))
    fi
}

finish() {
    [ "$failed" -eq 0 ] && exit 0
    echo "$failed steps failed" >&2
    exit 1
}

