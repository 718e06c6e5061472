import AVFormat
import Concurrency
import Foundation
import GroupActivities
import GroupJournal
import Screening
import SoundAlignment
import Timekeeping

/// The sound of films, by which participants with another copy find its place on the party's timeline.
@ScreeningActor
final class SoundExchange {
  /// A request for the outline of a film's sound, or one.
  struct Description: Codable, Sendable {
    /// The film's identifier.
    var film: String
    var isRequest: Bool
  }

  private let runner: LoopRunner
  /// The outlines that participants offer, by film.
  private var offers: [String: [GroupSessionJournal.Attachment]] = [:]
  private var waiting: [OneShot<Void>] = []
  /// The films of which this participant was asked, and those of which it has offered an outline.
  private var asked: Set<UUID> = []
  private var given: Set<String> = []

  /// The time after which no outline is waited for: reading a long film takes half a minute.
  private static let patience = Duration.seconds(120)
  /// The size of an outline of twelve hours, in bytes.
  private static let sizeLimit = 24 << 20

  init(runner: LoopRunner) { self.runner = runner }

  func close() { (offers, asked, given) = ([:], [], []) }

  /// - Parameter attachments: those of all participants, with their descriptions.
  func found(
    _ attachments: [(GroupSessionJournal.Attachment, Description)], as me: Participant.ID
  ) async {
    offers = [:]
    for (attachment, description) in attachments where attachment.addedBy != me {
      if !description.isRequest {
        offers[description.film, default: []].append(attachment)
      } else if asked.insert(attachment.id).inserted {
        await runner.handle(.share(.soundWanted(of: description.film)))
      }
    }
    wake()
  }

  private func wake() {
    for one in waiting { one.fulfil(()) }
    waiting = []
  }

  /// Offers the outline of a film's sound.
  func give(_ film: FilmIdentity, in journal: GroupSessionJournal) async throws {
    guard offers[film.identifier] == nil, given.insert(film.identifier).inserted else { return }
    let outline = try await Self.outline(of: film.location)
    try await journal.add(
      Data(outline.bytes), metadata: Description(film: film.identifier, isRequest: false),
      isOnDemand: true)
  }

  /// Compares the sound of a copy with that of the party's film.
  func align(_ film: FilmIdentity, in journal: GroupSessionJournal) async -> CopyMatch {
    do {
      async let outline = Self.outline(of: film.location)
      if offers[film.identifier] == nil {
        try await journal.add(
          Data([0]), metadata: Description(film: film.identifier, isRequest: true), isOnDemand: true
        )
      }
      let isDue = ThreadFlag()
      let alarm = Task {
        try await Task.sleep(for: Self.patience)
        isDue.set()
        wake()
      }
      defer { alarm.cancel() }
      let own = try await outline
      var tried: Set<UUID> = []
      while !isDue.isSet {
        let offer = offers[film.identifier]?.first { tried.insert($0.id).inserted }
        guard let offer else {
          let news = OneShot<Void>()
          waiting.append(news)
          _ = await news.value()
          continue
        }
        // Its owner may be gone, or not tell the truth; another one may have the film too.
        guard offer.size <= Self.sizeLimit, let bytes = try? await offer.load(Data.self),
          let partys = SoundOutline(bytes: bytes)
        else { continue }
        return await OwnedThread.run("alignment") {
          CopyMatch(Aligner.align(own: own, partys: partys))
        }
      }
      return .unknown("no participant has answered with its sound.")
    } catch {
      return .unknown("\(error).")
    }
  }

  private static func outline(of path: String) async throws -> SoundOutline {
    try await SmallerCopy.run { () throws(FragmentError) in
      let reader = try SoundReader(path: path)
      var maker = SoundOutlineMaker()
      while let samples = try reader.next() { maker.add(samples) }
      return maker.finish()
    }
  }
}

extension CopyMatch {
  fileprivate init(_ outcome: Aligner.Outcome) {
    switch outcome {
    case .aligned(let alignment):
      guard abs(alignment.scale - 1) < 1e-6 else {
        self = .otherRate(1 / alignment.scale)
        return
      }
      self =
        CopyTimeline(pieces: alignment.pieces).map { .aligned($0, agreement: alignment.agreement) }
        ?? .differs(agreement: alignment.agreement)
    case .refused(.silence): self = .unknown("there is next to no sound.")
    case .refused(.ambiguity): self = .unknown("it repeats, and fits at several places.")
    case .refused(.disagreement(let agreement)): self = .differs(agreement: agreement)
    }
  }
}
