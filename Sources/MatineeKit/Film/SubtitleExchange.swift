import AVFormat
import Concurrency
import FileNames
import Foundation
import GroupJournal
import MPVPlayer
import Screening
import Timekeeping

/// The subtitles that participants share in the party's session.
@ScreeningActor
final class SubtitleExchange {
  private let runner: LoopRunner
  private let player: MPVPlayer
  private var tasks: [UUID: Task<Void, Never>] = [:]

  /// The largest number of subtitles that are fetched in a session, with those for other films.
  private static let limit = 64

  init(runner: LoopRunner, player: MPVPlayer) {
    self.runner = runner
    self.player = player
  }

  func close() {
    for task in tasks.values { task.cancel() }
    tasks = [:]
  }

  /// Fetches the subtitles among the attachments of other participants.
  func found(_ attachments: [GroupSessionJournal.Attachment]) {
    for attachment in attachments
    where tasks.count < Self.limit && tasks[attachment.id] == nil
      && attachment.size <= SubtitleText.sizeLimit
    {
      tasks[attachment.id] = Task { [weak self] in await self?.fetch(attachment) }
    }
  }

  private func fetch(_ attachment: GroupSessionJournal.Attachment) async {
    do {
      let description = try await attachment.loadMetadata(of: SharedSubtitles.Description.self)
      let subtitles = SharedSubtitles(
        id: attachment.id, owner: attachment.addedBy, description: description,
        text: try await attachment.load(SubtitleText.self))
      guard !Task.isCancelled else { return }
      await runner.handle(.share(.subtitles(subtitles)))
    } catch {
      // An attachment of another kind, or one that no participant has any more.
    }
  }

  func give(
    _ file: String, for film: FilmIdentity, in journal: GroupSessionJournal
  ) async throws -> EffectAnswer {
    let delay = try await player.subtitleDelay()
    let path = FilmIdentity.path(file)
    let text = try await OwnedThread.run("subtitles") {
      Result { () throws(ShareProblem) in try SubtitleText(file: path, delayedBy: delay) }
    }.get()
    let name = SubtitleText.name(of: path)
    let timeline = film.timeline
    try await journal.add(
      timeline.map { timeline in text.moved { timeline.party(at: $0) } } ?? text,
      metadata: SharedSubtitles.Description(
        film: film.identifier, name: name, language: LanguageCode.named(in: name)))
    return EffectAnswer([.share(.subtitlesGiven(name: name))])
  }
}

extension SubtitleText {
  /// The largest subtitle file, in bytes. One with styles is much larger than its text.
  private static let fileLimit = 4 << 20

  static func name(of path: String) -> String {
    FileName.shown((path as NSString).lastPathComponent)
  }

  /// Reads a file of this user's. Waits for the disk.
  ///
  /// - Parameter delay: added to all times.
  init(file path: String, delayedBy delay: Duration) throws(ShareProblem) {
    let name = Self.name(of: path)
    func problem(_ reason: String) -> ShareProblem { .subtitles(file: name, reason) }
    guard let status = FileName.status(of: path) else { throw problem("there is no such file.") }
    guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= Self.fileLimit else {
      throw problem("it isn't a file of up to 4 MiB.")
    }
    guard let data = FileManager.default.contents(atPath: path) else {
      throw problem("it can't be read.")
    }
    // libavformat converts UTF-16 by its mark.
    let isUTF16 = data.starts(with: [0xFF, 0xFE]) || data.starts(with: [0xFE, 0xFF])
    guard isUTF16 || String(validating: data, as: UTF8.self) != nil else {
      throw problem(
        "it isn't text in UTF-8. Convert it first: iconv -f WINDOWS-1252 -t UTF-8 OLD > NEW")
    }
    var cues: [Cue] = []
    do throws(FragmentError) {
      let reader = try SubtitleReader(path: path, track: nil)
      func milliseconds(_ time: MediaTime) -> Int {
        Int(clampingRounded: (time + delay).seconds * 1000)
      }
      while let batch = try reader.next() {
        cues += batch.map {
          Cue(start: max(0, milliseconds($0.start)), end: milliseconds($0.end), text: $0.text)
        }
      }
    } catch {
      throw problem("it isn't a text file of subtitles (SubRip, ASS, WebVTT).")
    }
    self.init(cues)
    guard !self.cues.isEmpty else { throw problem("it has no subtitles.") }
    let size = try? JSONEncoder().encode(self).count
    guard let size, size <= Self.sizeLimit else { throw problem("its text is too long.") }
  }
}
