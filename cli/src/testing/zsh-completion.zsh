# What zsh offers for the line $1 with the completion script $2, one on each line. Completion runs in the line editor only, so
# a second zsh has a terminal of its own (zpty), and is sent the line and a tab as a person would type them.
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
# Whatever is offered comes by here. With -O, -A and -D the functions of zsh only ask what would match.
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

# Waits for a file, and reads meanwhile what the terminal shows: nobody else does.
await() {
  local shown
  repeat 500; do
    [[ -e $folder/$1 ]] && return
    zpty -r -t typed shown
    sleep 0.02
  done
  print -u2 "zsh did not get as far as: $1"
  exit 1
}

zpty -b typed zsh -f -i
zpty -w typed "source $folder/typed.zsh"
await ready
zpty -w -n typed "$1"$'\t'
await finished
[[ ! -e $folder/offered ]] || grep . $folder/offered
zpty -d typed
