#!/bin/sh
# cadastre(1). Run by root, it uses the settings and the user of the service, so that `cadastre user list` shows the users
# of the service and leaves no files of root in its data directory.
set -eu
program=/usr/lib/cadastre/cadastre
settings=/etc/cadastre/cadastre.env

[ "$(id -u)" = 0 ] || exec "$program" "$@"

export DATA_DIR=/var/lib/cadastre
# It writes the settings, which are of root.
[ "${1-}" != setup ] || exec "$program" "$@"
# As systemd reads an EnvironmentFile, without continuation lines.
if [ -r "$settings" ]; then
  while IFS= read -r line || [ -n "$line" ]; do
    case $line in [A-Z]*=*) ;; *) continue ;; esac
    name=${line%%=*} value=${line#*=}
    case $value in
      \"*\") value=${value#\"} value=${value%\"} ;;
      \'*\') value=${value#\'} value=${value%\'} ;;
    esac
    export "$name=$value"
  done <"$settings"
fi
umask 077
exec setpriv --reuid=cadastre --regid=cadastre --init-groups "$program" "$@"
