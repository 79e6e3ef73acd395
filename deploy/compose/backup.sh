#!/bin/sh
# Dumps the database in PGDATABASE every BACKUP_EVERY_HOURS hours to /backups, and deletes dumps that are older than
# BACKUP_KEEP_DAYS days. `backup.sh once` dumps now and exits. `backup.sh check` fails if the newest dump is missing or
# too old.
set -eu
umask 077

folder=${BACKUP_FOLDER:-/backups}
every_minutes=$((${BACKUP_EVERY_HOURS:-24} * 60))
keep_minutes=$((${BACKUP_KEEP_DAYS:-14} * 24 * 60))
retry_seconds=300

# A dump gets its name only when it is complete. Old dumps are deleted only after a new one has succeeded.
dump() {
  file="$folder/affkit-$(date -u +%Y-%m-%dT%H-%M-%SZ).dump"
  # Deletes what a killed run has left, but not the file of a run that is still writing.
  find "$folder" -maxdepth 1 -name '.part-*' -mmin +60 -delete
  pg_dump --format=custom --file="$folder/.part-$$" && sync "$folder/.part-$$" && mv "$folder/.part-$$" "$file" || {
    rm -f "$folder/.part-$$"
    echo "Backup failed" >&2
    return 1
  }
  echo "Backup $file"
  find "$folder" -maxdepth 1 -name 'affkit-*.dump' -mmin "+$keep_minutes" -print -delete
}

# Whether there is a dump that is less than $1 minutes old.
has_dump_since() {
  [ -n "$(find "$folder" -maxdepth 1 -name 'affkit-*.dump' -mmin "-$1")" ]
}

case ${1:-run} in
  once) dump ;;
  check) has_dump_since $((every_minutes + 60)) ;;
  run)
    # `wait` returns as soon as a signal arrives. A `sleep` in the foreground would delay the trap until the pause ends.
    trap 'exit 0' TERM INT
    while :; do
      pause=60
      if ! has_dump_since "$every_minutes"; then dump || pause=$retry_seconds; fi
      sleep "$pause" &
      wait $!
    done
    ;;
  *)
    echo "Usage: backup.sh [once|check]" >&2
    exit 2
    ;;
esac
