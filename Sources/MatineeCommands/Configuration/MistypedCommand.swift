import Screening
import TerminalUI

/// A misspelt command name in the position of a film.
enum MistypedCommand {
  /// - Parameters:
  ///   - argument: the first film of the command line.
  ///   - exists: whether there is a file of that name.
  /// - Returns: a message for the user; nil unless `argument` is a plain word similar to a command's name, and not a
  ///   file.
  static func message(for argument: String, commands: [String], exists: Bool) -> String? {
    guard !exists, !argument.contains(where: { "/.:~".contains($0) }),
      let command = Spelling.nearest(to: argument, among: commands)
    else { return nil }
    return "There is no file “\(TerminalText(argument))”. Did you mean `matinee \(command)`?"
  }
}
