import MatineeKit

/// The circumstances in which a command is run.
struct StartContext: Sendable {
  @TaskLocal static var current = StartContext()

  /// Problems with the settings that the program was started with, for the interface to report.
  var warnings: [String] = []
  /// The sources of the settings, by the option's name: “matinee.conf, line 3”.
  var origins: [String: String] = [:]
  /// The names of commands that users type.
  var commandNames: [String] = []
}
