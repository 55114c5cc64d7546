# Prints the completions that zsh offers for the line $1 with the completion script $2, one per line. Completion runs
# only in the line editor, so a second zsh gets its own terminal (zpty) and receives the line and a tab like typed
# input.
emulate -L zsh
zmodload zsh/zpty || exit
folder=$(mktemp -d) || exit
trap 'rm -rf $folder' EXIT
export FOLDER=$folder SCRIPT=$2

cat >$folder/typed.zsh <<'SETUP'
PROMPT=
autoload -Uz compinit && compinit -u -d ~/.zcompdump
source $SCRIPT
bindkey '^I' complete-word
# Records every offered completion. With -O, -A and -D the functions of zsh only query what would match.
compadd() {
  if [[ ${@[1,(i)(-|--)]} != *-(O|A|D)\ * ]]; then
    local -a offered
    builtin compadd -A offered "$@"
    print -rl -- $offered >>$FOLDER/offered
  fi
  builtin compadd "$@"
}
finish() { : >$FOLDER/finished }
comppostfuncs=(finish)
: >$FOLDER/ready
SETUP

# Waits for a file, and reads the terminal's output meanwhile, because nothing else reads it.
await() {
  local shown
  repeat 500; do
    [[ -e $folder/$1 ]] && return
    zpty -r -t typed shown
    sleep 0.02
  done
  print -u2 "zsh did not reach: $1"
  exit 1
}

zpty -b typed zsh -f -i
zpty -w typed "source $folder/typed.zsh"
await ready
zpty -w -n typed "$1"$'\t'
await finished
[[ ! -e $folder/offered ]] || grep . $folder/offered
zpty -d typed
