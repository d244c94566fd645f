# Runs a Postgres server for as long as standard input stays open. The other end of that pipe is held by the process
# that wants the server: however that process ends, the pipe closes and the server goes with it.
#
# Arguments: BIN the programs' folder, HOME where `data` is or will be, FOLDER for socket, log and notes (removed at the
# end), SIGNAL that stops the server (QUIT at once, INT in good order), then the server's own arguments.
bin=$1 home=$2 folder=$3 signal=$4
shift 4

# Made under another name first: a folder called `data` is always whole.
create() {
  rm -rf "$home/data.new"
  "$bin/initdb" --no-sync --pgdata="$home/data.new" --username=postern --pwfile="$home/password" \
    --auth-local=trust --auth-host=scram-sha-256 --encoding=UTF8 --locale="$1"
}

serve() {
  [ -d "$home/data" ] || { { create C.UTF-8 || create C; } && mv "$home/data.new" "$home/data"; } || return
  "$bin/postgres" -D "$home/data" "$@"
}

# A handler, unlike an ignored signal, is not passed on to the server.
trap : INT QUIT TERM HUP
{ serve "$@"; echo $? >"$folder/exit"; } >>"$folder/log" 2>&1 </dev/null &
server=$!
cat >/dev/null

# To the whole process group, for the server may not exist yet.
kill -s "$signal" 0
{ sleep 10; kill -s QUIT 0; } >/dev/null 2>&1 </dev/null &
late=$!
while kill -s 0 "$server" 2>/dev/null; do wait "$server"; done
# Or it would end the removal too.
kill -s TERM "$late" 2>/dev/null
[ "$home" = "$folder" ] || rm -rf "$home/data.new"
rm -rf "$folder" || rm -rf "$folder"
kill -s TERM 0
