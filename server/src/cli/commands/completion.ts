import { FORMATS } from '../../audio/formats.ts';

const HELP = `Usage: mynah completion bash|zsh|fish

Prints a completion script for a shell. To install it for bash: mynah completion bash > ~/.bash_completion.d/mynah
`;

/** Subcommands and options by command. A test compares them with the commands. */
export const COMMAND_WORDS: Readonly<Record<string, readonly string[]>> = {
  serve: ['--help', '--port', '--host', '--config'],
  worker: words('--kinds --nats-url --worker-id --config --help'),
  say: words('--output --voice --model --format --speed --play --json --server --key --help'),
  read: words(
    '--output --voice --chapter --model --title --author --bitrate --speed --captions --json --server --key --help',
  ),
  dub: words('--output --voice --speaker --max-speed --model --server --key --help'),
  convert: words('--output --voice --no-keep-pitch --language --model --server --key --help'),
  transcribe: words('--text --srt --vtt --json --output --watch --model --language --server --key --help'),
  doctor: words('--json --key --measure-again --help'),
  models: words('list pull rm verify import --id --json --help'),
  keys: words(
    'create list rotate revoke --name --account --days --scopes --cap --per-minute --grace --json --create --server --key --help',
  ),
  accounts: words(
    'create list change delete --name --member --concurrency --watermark --yes --json --create --server --key --help',
  ),
  topup: words('--id --memo --json --create --server --key --help'),
  usage: words('--account --from --to --by --json --csv --create --server --key --help'),
  ledger: words('verify statement --html --json --create --server --key --help'),
  audit: words('--account --from --to --json --csv --create --server --key --help'),
  backup: words('--replace --json --help'),
  restore: words('--data --replace --json --help'),
  watermark: words('detect --json --help'),
  voices: words('list get create delete --mine --language --title --text --json --server --key --help'),
  wyoming: words('--host --port --model --zeroconf --server --key --help'),
  mcp: words('--http --host --port --server --key --help'),
  completion: words('bash zsh fish --help'),
};

function words(text: string): readonly string[] {
  return text.split(' ');
}

const SHELLS: Readonly<Record<string, () => string>> = { bash, zsh, fish };

/** Runs `mynah completion …` and returns the exit status. */
export function runCompletionCommand(
  args: readonly string[],
  output: {
    readonly stdout: { write(text: string): unknown };
    readonly stderr: { write(text: string): unknown };
  },
): number {
  const [shell = ''] = args;
  if (shell === '--help' || shell === '-h') {
    output.stdout.write(HELP);
    return 0;
  }
  const print = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
  if (print === undefined || args.length > 1) {
    output.stderr.write(HELP);
    return 2;
  }
  output.stdout.write(print());
  return 0;
}

function bash(): string {
  const cases = Object.entries(COMMAND_WORDS).map(
    ([command, words]) => `    ${command}) words="${words.join(' ')}" ;;`,
  );
  return `_mynah() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="${Object.keys(COMMAND_WORDS).join(' ')} --help --version"
  elif [ "$previous" = --format ]; then
    words="${Object.keys(FORMATS).join(' ')}"
  else
    case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _mynah mynah
`;
}

function zsh(): string {
  return `#compdef mynah
autoload -U +X bashcompinit && bashcompinit
${bash()}`;
}

function fish(): string {
  const commands = Object.keys(COMMAND_WORDS);
  const lines = Object.entries(COMMAND_WORDS).flatMap(([command, words]) =>
    words.map((word) => {
      const option = word.startsWith('--') ? `-l ${word.slice(2)}` : `-a ${word}`;
      return `complete -c mynah -n "__fish_seen_subcommand_from ${command}" ${option}`;
    }),
  );
  return `complete -c mynah -n __fish_use_subcommand -f -a "${commands.join(' ')}"
${lines.join('\n')}
`;
}
