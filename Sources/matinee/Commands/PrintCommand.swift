import ArgumentParser
import Foundation

/// Prints the files that `make install` makes from the commands' declarations.
struct PrintCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "print", abstract: "Print a manual page or a shell's completions.",
    shouldDisplay: false)

  enum File: String, ExpressibleByArgument, CaseIterable {
    case program = "matinee.1"
    case relay = "matinee-relay.1"
    case files = "matinee.5"
    case party = "matinee-party.7"
    case headless = "matinee-headless.7"
    case bash, zsh, fish
  }

  @Argument var file: File

  func run() throws {
    FileHandle.standardOutput.write(Data(try text().utf8))
  }

  func text() throws -> String {
    switch file {
    case .program: try Manual().matinee.roff
    case .relay: try Manual().relay.roff
    case .files: try Manual().files.roff
    case .party: try Manual().party.roff
    case .headless: try Manual().headless.roff
    case .bash: try CompletionScript.bash()
    case .zsh: try CompletionScript.zsh()
    case .fish: try CompletionScript.fish()
    }
  }
}
