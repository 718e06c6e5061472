import Timekeeping

/// The tracks that films are opened with, and subtitles that are added to them.
extension MPVPlayer {
  /// Opens films with tracks in these languages from now on, if they have any.
  ///
  /// - Parameters:
  ///   - audio: language codes, before those of the user's option `alang`.
  ///   - subtitles: language codes, before those of the option `slang`.
  ///   - areSubtitlesOff: true to open films without subtitles.
  package func prefer(audio: [String], subtitles: [String], areSubtitlesOff: Bool) {
    film.prefers(
      TrackOptions(audio: audio, subtitles: subtitles, areSubtitlesOff: areSubtitlesOff))
  }

  /// The options for the tracks of the next film. They hold for this film alone: a number that the user chose in it
  /// means another language in the next one.
  func trackOptions() async throws(MPVError) -> [String: MPVValue] {
    let tracks = film.tracks
    var options: [String: MPVValue] = [:]
    if !tracks.audio.isEmpty {
      options[MPVProperty.aid] = .string("auto")
      options[MPVProperty.alang] = try await list(MPVProperty.alang, beginningWith: tracks.audio)
    }
    if tracks.areSubtitlesOff {
      options[MPVProperty.sid] = .string("no")
    } else if !tracks.subtitles.isEmpty {
      options[MPVProperty.sid] = .string("auto")
      options[MPVProperty.slang] = try await list(
        MPVProperty.slang, beginningWith: tracks.subtitles)
    }
    return options
  }

  private func list(
    _ name: String, beginningWith codes: [String]
  ) async throws(MPVError) -> MPVValue {
    let others = (try await get(name).value.array ?? []).compactMap(\.string)
    return .string((codes + others.filter { !codes.contains($0) }).joined(separator: ","))
  }

  /// The delay of the subtitles, as the user set it; later is positive.
  package func subtitleDelay() async throws(MPVError) -> Duration {
    Duration(clampingSeconds: try await get(MPVProperty.subDelay).value.double ?? 0)
  }

  /// Adds a file with subtitles to the film, without selecting them. No other program can read the file.
  ///
  /// - Parameters:
  ///   - title: the name of the track.
  ///   - language: the code of the language; nil if it isn't known.
  ///   - item: the identifier of the film's item.
  /// - Throws: ``MPVError/Reason/superseded`` if another film is on the screen.
  package func addSubtitles(
    _ text: String, titled title: String, language: String?, to item: String
  ) async throws(MPVError) {
    guard film.identifier == item, film.item.isLoaded, film.request == nil else {
      throw MPVError(.superseded, MPVCommand.subAdd)
    }
    let file = try MemoryFile(Array(text.utf8))
    film.uses(file)
    try await command(
      .string(MPVCommand.subAdd), .string(file.path), .string("auto"), .string(title),
      .string(language ?? ""))
  }
}
