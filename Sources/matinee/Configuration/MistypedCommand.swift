import TerminalUI

/// The name of a command, misspelt where a film is expected.
enum MistypedCommand {
  /// - Parameters:
  ///   - argument: the first film of the command line.
  ///   - exists: whether there is a file of that name.
  /// - Returns: what to tell the user; nil unless `argument` is a plain word near a command's name, and no file.
  static func message(for argument: String, commands: [String], exists: Bool) -> String? {
    guard !exists, !argument.contains(where: { "/.:~".contains($0) }),
      let command = Spelling.nearest(to: argument, among: commands)
    else { return nil }
    return "There is no file “\(TerminalText(argument))”. Did you mean `matinee \(command)`?"
  }
}
