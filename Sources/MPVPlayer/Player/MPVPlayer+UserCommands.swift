import Concurrency
import Timekeeping

/// Commands from the user, written as mpv's commands.
extension MPVPlayer {
  /// Carries out one of mpv's commands; properties in its arguments are expanded, as in `input.conf`.
  ///
  /// - Parameters:
  ///   - arguments: the command's name and its arguments. The caller decides which commands are allowed.
  ///   - showsInWindow: whether the window's on-screen display reports it, too.
  package func perform(_ arguments: [String], showsInWindow: Bool) async throws(MPVError) {
    if let isVisible = Self.subtitleVisibility(arguments) {
      // In frames mode mpv rarely shows subtitles; the viewer's choice is stored here.
      if state.areSubtitlesVisible != isVisible { try await toggleSubtitleVisibility() }
      return
    }
    let osd = showsInWindow && pictureOutput.mode == .window ? "osd-auto" : "no-osd"
    let words = ["expand-properties", osd] + arguments
    _ = try await answer(arguments.joined(separator: " ")) {
      $0.command(.array(words.map { .string($0) }), id: $1)
    }
    try await readTracks()
  }

  /// Returns a text with its properties expanded: `${sub-delay}` becomes `100 ms`.
  package func expand(_ text: String) async throws(MPVError) -> String {
    if text.contains("${\(MPVProperty.subVisibility)}") {
      let words = state.areSubtitlesVisible ? "yes" : "no"
      return try await expand(text.replacing("${\(MPVProperty.subVisibility)}", with: words))
    }
    return try await command(.string(MPVCommand.expandText), .string(text)).string ?? ""
  }

  /// Takes a screenshot with the folder, name and format of the user's configuration.
  ///
  /// - Returns: the file's path; nil if mpv didn't report it.
  package func screenshot(_ arguments: [String]) async throws(MPVError) -> String? {
    let written = screenshots.began()
    let words = ["no-osd"] + arguments
    let result = try await answer(arguments.joined(separator: " ")) {
      $0.command(.array(words.map { .string($0) }), id: $1)
    }.value
    // mpv 0.38 and newer.
    if let path = result["filename"]?.string { return path }
    // Earlier versions report it in the log only, whose lines come after other events.
    deadlines.run(at: .now() + .seconds(2)) { written.fulfil(nil) }
    return await written.value() ?? nil
  }

  /// Ends loops that the viewer began while alone: they would move the group.
  package func endLoops() {
    let off = MPVValue.string("no")
    for name in [
      MPVProperty.abLoopA, MPVProperty.abLoopB, MPVProperty.loopFile, MPVProperty.loopPlaylist,
    ] {
      request({ $0.setProperty(name, off, id: $1) }) { _, _ in }
    }
  }

  private static func subtitleVisibility(_ arguments: [String]) -> Bool? {
    guard arguments.count == 3, arguments[0] == "set", arguments[1] == MPVProperty.subVisibility
    else { return nil }
    return arguments[2] == "yes" ? true : arguments[2] == "no" ? false : nil
  }
}
