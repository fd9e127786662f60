# Functions of the checks in this folder, which source it.

# wait_until DESCRIPTION SECONDS COMMAND…: repeats the command until it succeeds.
wait_until() {
  local description=$1 end=$((SECONDS + $2))
  shift 2
  until "$@" > /dev/null 2>&1; do
    if [ $SECONDS -ge $end ]; then echo "Not in time: $description." >&2 && return 1; fi
    sleep 0.5
  done
}

# speak URL KEY TEXT FILE
speak() {
  curl --fail --silent --show-error "$1/v1/tts" --header "Authorization: Bearer $2" --header 'Content-Type: application/json' \
    --data "{\"text\": \"$3\", \"seed\": 7}" --output "$4"
}

# speak_and_transcribe URL KEY FOLDER: makes FOLDER/hello.mp3 and compares its transcript.
speak_and_transcribe() {
  local transcript
  speak "$1" "$2" 'Hello from a server in a container.' "$3/hello.mp3"
  transcript=$(curl --fail --silent --show-error "$1/v1/asr" --header "Authorization: Bearer $2" --form "audio=@$3/hello.mp3")
  echo "hello.mp3: $(stat --format %s "$3/hello.mp3") bytes, transcribed: $transcript"
  grep --quiet --ignore-case 'hello from a server in a container' <<< "$transcript"
}
