import ArgumentParser

/// A shell's completions: the script that `ArgumentParser` generates from the commands' declarations, and an addition.
/// Without a command the arguments belong to the default command, which the generated scripts don't support.
enum CompletionScript {
  struct Unexpected: Error, CustomStringConvertible {
    var description: String
  }

  static func bash() throws -> String {
    // A shell reads the script and doesn't run it.
    let script = try replacing(
      "#!/bin/bash\n\n", in: Matinee.completionScript(for: .bash), with: "")
    return try replacing(
      "complete -o filenames -F _matinee matinee", in: script,
      with: """
        # Without a command, what is typed is for \(standard).
        _matinee_or_\(standard)() {
            case " \(commands.joined(separator: " ")) " in
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

        """)
  }

  static func zsh() throws -> String {
    let script = try replacing(
      "\n_matinee() {", in: Matinee.completionScript(for: .zsh), with: "\n_matinee_commands() {")
    return try replacing(
      "if [[ \"${funcstack[1]}\" = _matinee ]]; then", in: script,
      with: """
        # Without a command, what is typed is for \(standard).
        _matinee() {
            local -ar commands=(\(commands.joined(separator: " ")))
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

        if [[ "${funcstack[1]}" = _matinee ]]; then
        """) + "\n"
  }

  static func fish() throws -> String {
    let script = Matinee.completionScript(for: .fish)
    let marker = "\"matinee \(standard)\""
    // Each line of the standard command again, for arguments without the command's name.
    let more = try script.split(separator: "\n").filter {
      $0.hasPrefix("complete ") && $0.contains(marker)
    }.map { line in
      let parts = line.split(separator: "'", omittingEmptySubsequences: false)
      // complete -c 'matinee' -n 'CONDITION' …
      guard parts.count > 4, parts[3].contains(marker) else {
        throw Unexpected(description: "a line of fish's completions isn't as it was: \(line)")
      }
      return "complete -c 'matinee' -n '__matinee_has_no_command'"
        + parts[4...].joined(separator: "'")
    }
    guard !more.isEmpty else {
      throw Unexpected(description: "fish's completions have no command \(standard)")
    }
    return """
      \(script)

      # Without a command, what is typed is for \(standard).
      function __matinee_has_no_command
          set -l tokens (__matinee_tokens -pc)
          not contains -- "$tokens[2]" \(commands.joined(separator: " "))
      end

      \(more.joined(separator: "\n"))

      """
  }

  private static var standard: String {
    Matinee.configuration.defaultSubcommand.map { $0._commandName } ?? ""
  }

  private static var commands: [String] { Matinee.commandNames }

  /// - Throws: ``Unexpected`` if the text doesn't occur exactly once: then the generated scripts have changed, and this
  ///   code must follow.
  private static func replacing(_ text: String, in script: String, with other: String) throws
    -> String
  {
    guard script.ranges(of: text).count == 1 else {
      throw Unexpected(description: "a shell's completions aren't as they were: no \(text)")
    }
    return script.replacing(text, with: other)
  }
}
