import ArgumentParser

/// A shell's completions: the script that `ArgumentParser` generates from the commands' declarations, and an addition.
/// Without a command the arguments belong to the default command, which the generated scripts don't support.
enum CompletionScript {
  static var bash: String {
    // A shell reads the script and doesn't run it.
    "\(Matinee.completionScript(for: .bash).trimmingPrefix("#!/bin/bash\n\n"))\n\n"
      + """
      # Without a command, what is typed is for \(standard).
      _matinee_or_\(standard)() {
          case " \(commands) " in
          *" ${COMP_WORDS[1]} "*)
              if ((COMP_CWORD > 1)); then
                  _matinee "${@}"
                  return
              fi
              ;;
          esac
          if ((COMP_CWORD == 1)) && [[ "${2}" != -* ]]; then
              _matinee "${@}"
              COMPREPLY+=($(compgen -f -- "${2}"))
              return
          fi
          local -a COMP_WORDS=("${COMP_WORDS[0]}" \(standard) "${COMP_WORDS[@]:1}")
          local -i COMP_CWORD=$((COMP_CWORD + 1))
          _matinee "${@}"
      }

      complete -o filenames -F _matinee_or_\(standard) matinee

      """
  }

  /// In zsh the file is a function that defines itself when it first runs, so the addition comes before that.
  static var zsh: String {
    let beginning = "if [[ \"${funcstack[1]}\""
    return Matinee.completionScript(for: .zsh)
      .replacing("\n_matinee() {", with: "\n_matinee_commands() {")
      .replacing(
        beginning,
        with: """
          # Without a command, what is typed is for \(standard).
          _matinee() {
              local -ar commands=(\(commands))
              if (( CURRENT == 2 )) && [[ "${words[2]}" != -* ]]; then
                  local -i ret=1
                  _matinee_commands "${@}" && ret=0
                  _files && ret=0
                  return "${ret}"
              fi
              if (( ! ${commands[(Ie)${words[2]}]} )); then
                  words=("${words[1]}" \(standard) "${(@)words[2,-1]}")
                  (( CURRENT++ ))
              fi
              _matinee_commands "${@}"
          }

          \(beginning)
          """) + "\n"
  }

  static var fish: String {
    """
    \(Matinee.completionScript(for: .fish))

    # Without a command, what is typed is for \(standard).
    functions --erase __matinee_typed_tokens
    functions --copy __matinee_tokens __matinee_typed_tokens
    function __matinee_tokens
        set -l tokens (__matinee_typed_tokens $argv)
        if set -q tokens[2]; or string match -q -- '-*' (commandline -t)
            contains -- "$tokens[2]" \(commands); or set tokens $tokens[1] \(standard) $tokens[2..]
        end
        printf '%s\\n' $tokens
    end
    complete -c matinee -n 'test (count (__matinee_typed_tokens -pc)) -eq 1' -F

    """
  }

  private static var standard: String {
    Matinee.configuration.defaultSubcommand.map { $0._commandName } ?? ""
  }

  private static var commands: String { Matinee.commandNames.joined(separator: " ") }
}
