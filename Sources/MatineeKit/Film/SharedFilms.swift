import AVFormat
import Foundation
import GroupActivities
import GroupJournal
import MPVPlayer
import Screening
import Timekeeping
import WatchTogether

/// The copies that participants share in the party's session, and those of them that are being read.
@ScreeningActor
final class SharedFilms {
  /// A film of the journal, as its owner describes it.
  struct Description: Codable, Sendable {
    /// The film's identifier.
    var film: String
    /// Nil for a film in which its owner's program can't seek.
    var map: FilmMap?
    /// Nil for the owner's file itself. The attachment of a smaller copy is only its header.
    var smaller: SmallerCopy?
  }

  /// A smaller copy, whose parts are attachments of their own.
  struct SmallerCopy: Codable, Sendable {
    var quality: ShareQuality
    var layout: SmallCopy.Layout
    /// The most bytes that all parts have.
    var size: Int
  }

  /// A part of a smaller copy, as its owner describes it.
  struct Part: Codable, Sendable {
    var copy: UUID
    var index: Int
  }

  /// A copy that a participant shares.
  struct Copy: Sendable {
    var attachment: GroupSessionJournal.Attachment
    var description: Description
    /// The parts that are made, of a smaller copy.
    var parts: [Int: GroupSessionJournal.Attachment] = [:]

    var size: Int { description.smaller?.size ?? Int(attachment.size) }
  }

  private(set) var copies: [UUID: Copy] = [:]

  /// The copy that was opened last, while it is in use.
  private weak var source: SharedFilmSource?
  /// The session in which the copies are shared; nil for none.
  private var session: GroupSession<FilmActivity>?
  /// The part that was asked for last.
  private var asked: PartRequest?
  /// The copy that is opened next, whose beginning is fetched.
  private var next: SharedFilmSource?

  /// Returns the state of a film that a participant shares; nil for other films.
  func state(of film: FilmIdentity) async -> SharedFilmState? {
    guard
      let copy = copies.values.first(where: {
        SharedFilm.id(of: film.location) == $0.attachment.id
          || !film.isShared && $0.description.film == film.identifier
      })
    else { return nil }
    var state = SharedFilmState(owner: copy.attachment.addedBy)
    // The size of a smaller copy is known only when all of it is made.
    if copy.description.smaller == nil {
      let size = Double(max(1, copy.attachment.size))
      state.holdings = await copy.attachment.holdings.mapValues { Double($0) / size }
    }
    if film.isShared { state.arrived = source?.arrived }
    return state
  }

  /// The part of the film on the screen that has arrived; nil for a film that doesn't come from another participant, and
  /// for a smaller copy, which arrives as fast as it is made.
  var arrivedPart: ArrivedPart? { source?.arrivedPart }

  func follow(_ session: GroupSession<FilmActivity>?) {
    (self.session, asked) = (session, nil)
    set([])
  }

  func set(_ copies: [Copy]) {
    self.copies = Dictionary(copies.map { ($0.attachment.id, $0) }) { first, _ in first }
    if let next, self.copies[next.id] == nil { self.next = nil }
    fetchParts()
  }

  /// Opens the parts of smaller copies that are needed next, as far as they are made.
  func fetchParts() {
    for source in [source, next] {
      guard let source, let copy = copies[source.id] else { continue }
      let parts = copy.parts
      if let part = source.awaitedPart, parts[part] == nil {
        ask(for: PartRequest(copy: source.id, index: part), copy.attachment.addedBy)
      }
      guard let part = source.wanted(of: parts) else { continue }
      Task {
        let reader = try? await parts[part]?.open()
        source.opened(part, reader)
        if reader != nil { fetchParts() }
      }
    }
  }

  /// Asks a copy's owner for a part. Without that it comes in its turn.
  private func ask(for part: PartRequest, _ owner: Participant.ID) {
    guard part != asked, let session,
      let owner = session.activeParticipants.first(where: { $0.id == owner })
    else { return }
    asked = part
    Task { try? await GroupSessionMessenger(session: session).send(part, to: .only(owner)) }
  }

  /// Opens the copy that a location means; nil for other locations.
  ///
  /// - Throws: the reason why it can't be read, as text for the user.
  func open(_ location: String) async throws -> SharedFilmSource? {
    guard let id = SharedFilm.id(of: location) else { return nil }
    guard let copy = copies[id] else {
      throw StreamProblem(description: "The film isn't shared any more.")
    }
    do {
      let source = if let next, next.id == id { next } else { try await open(copy) }
      (self.source, next) = (source, nil)
      fetchParts()
      return source
    } catch {
      throw StreamProblem(description: "The shared film can't be opened: \(error)")
    }
  }

  /// Fetches the beginning of a film that is opened soon; nil for none. The bytes that are here stay.
  func prepare(_ film: SharedFilm?) async {
    next = nil
    if let copy = film.flatMap({ copies[$0.id] }) { next = try? await open(copy) }
  }

  private func open(_ copy: Copy) async throws(JournalError) -> SharedFilmSource {
    SharedFilmSource(try await copy.attachment.open(), id: copy.attachment.id, copy.description) {
      [weak self] in Task { @ScreeningActor in self?.fetchParts() }
    }
  }

  /// Fetches the film on the screen at a position that the player is about to ask for.
  func fetch(at position: MediaTime) { source?.fetch(at: position) }
}

/// A film that a participant shares.
package struct SharedFilmState: Hashable, Sendable {
  package var owner: Participant.ID
  /// The parts that the other participants have, from 0 to 1.
  var holdings: [Participant.ID: Double] = [:]
  /// The parts that have arrived, from 0 to 1 and in ascending order; nil if this participant has a copy of its own.
  package var arrived: [Range<Double>]?

  /// The part of the film that has arrived, in percent; nil like ``arrived``.
  package var percent: Int? {
    arrived.map { Int($0.reduce(0) { $0 + $1.upperBound - $1.lowerBound } * 100) }
  }
}
