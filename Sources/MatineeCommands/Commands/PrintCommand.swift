import ArgumentParser
import Foundation

/// Prints what `make install` makes from the commands' declarations.
struct PrintCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "print", abstract: "Print a part of the manual or a shell's completions.",
    shouldDisplay: false)

  @Argument(help: "A shell, or a part that a page in Installation/Manual names.")
  var name: String

  func run() throws {
    FileHandle.standardOutput.write(Data(try text().utf8))
  }

  func text() throws -> String {
    switch name {
    case "bash": return CompletionScript.bash
    case "zsh": return CompletionScript.zsh
    case "fish": return CompletionScript.fish
    default:
      guard let part = Manual.Part(rawValue: name) else {
        throw ValidationError("The manual has no part of this name.")
      }
      return try Manual().text(of: part)
    }
  }
}
