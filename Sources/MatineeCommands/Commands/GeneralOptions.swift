import ArgumentParser
import Foundation
import GroupActivities

/// The participant's name, and the films that a run opens and remembers.
struct GeneralOptions: ParsableArguments {
  @Option(
    name: .customLong("name"),
    help: ArgumentHelp(
      "Your name in the party (default: your last one).",
      discussion: "At first it is your user name.", valueName: "name"))
  var givenName: String?

  @Option(
    name: .customLong("library"),
    help: ArgumentHelp(
      "Add this folder to the library (may be repeated).",
      discussion:
        "Its films are indexed in the background and found by name and content. The folder is remembered.",
      valueName: "folder"),
    completion: .directory)
  var libraryFolders: [String] = []

  @Option(
    help: ArgumentHelp(
      "Keep the films that a friend shares, in this folder.",
      discussion: "Without it they are gone when you leave the party.", valueName: "folder"),
    completion: .directory)
  var keep: String?

  @Option(
    help: ArgumentHelp(
      "Trailer to play first (may be repeated).",
      discussion:
        "A trailer before the film, in a second player. The party waits for you for up to a minute, unless it waits for nobody.",
      valueName: "file"),
    completion: .file())
  var preroll: [String] = []

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "Show up to three more angles beside the first film.",
      discussion: "The key # switches to the audio of the next angle.", valueName: "file"))
  var angles: [String] = []

  @Flag(
    name: .customLong("private"), inversion: .prefixedNo, exclusivity: .chooseLast,
    help: ArgumentHelp(
      "Private session: keep no history.",
      discussion: "Films, positions, parties and latency offsets aren't remembered."))
  var isPrivate = false

  var name: String {
    givenName ?? ProcessInfo.processInfo.environment["USER"] ?? "Guest"
  }

  mutating func validate() throws {
    guard angles.count <= 3 else {
      throw ValidationError("--angles takes up to three films, not \(angles.count).")
    }
    guard PartyText.name(name) != nil else {
      throw ValidationError("Please give --name a name with at least one visible character.")
    }
  }
}
