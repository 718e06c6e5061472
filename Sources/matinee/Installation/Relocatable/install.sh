#!/bin/sh
# Installs Matinee below a folder, ~/.local by default, or removes it from there:
#
#   ./install.sh [FOLDER]
#   ./install.sh --remove [FOLDER]
#
# Matinee runs where it was unpacked as well (bin/matinee); installed, it is found by shells, man and desktops. A
# packager sets DESTDIR to the folder that stands for the system's root.
set -eu
start=$PWD
cd "$(dirname "$0")"

remove=
if [ "${1:-}" = --remove ]; then
  remove=1
  shift
fi
folder=${1:-$HOME/.local}
case $folder in
  /*) ;;
  *) folder=$start/$folder ;;
esac

root=${DESTDIR:-}$folder
find bin lib share ! -type d | while IFS= read -r file; do
  if [ -n "$remove" ]; then
    rm -f "$root/$file"
  else
    mode=644
    [ ! -x "$file" ] || mode=755
    install -D -m "$mode" "$file" "$root/$file"
  fi
done
if [ -n "$remove" ]; then
  # The folders that only Matinee has.
  rm -rf "$root/share/doc/matinee" "$root/lib/matinee"
  echo "Removed Matinee from $folder"
else
  unit=$root/share/systemd/user/matinee-relay.service
  sed "s|%h/.local/bin|$folder/bin|" share/systemd/user/matinee-relay.service >"$unit"
  echo "Installed $folder/bin/matinee"
  case :$PATH: in
    *:"$folder/bin":*) ;;
    *) [ -n "${DESTDIR:-}" ] || echo "Add $folder/bin to PATH to start it by its name." ;;
  esac
fi
if [ -z "${DESTDIR:-}" ] && command -v update-desktop-database >/dev/null; then
  update-desktop-database -q "$folder/share/applications" || true
fi
