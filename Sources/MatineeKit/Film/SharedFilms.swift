import Foundation
import GroupActivities
import GroupJournal
import MPVPlayer
import Screening

/// The copies that participants share in the party's session, and those of them that are being read.
@ScreeningActor
final class SharedFilms {
  /// A film of the journal, as its owner describes it.
  struct Description: Codable, Sendable {
    /// The film's identifier.
    var film: String
  }

  private(set) var attachments: [UUID: GroupSessionJournal.Attachment] = [:]

  /// The copy that was opened last, while it is in use.
  private weak var source: SharedFilmSource?

  /// The parts of the film on the screen that have arrived, from 0 to 1 and in ascending order; nil for a film that
  /// doesn't come from another participant.
  var arrived: [Range<Double>]? {
    guard let reader = source?.reader, reader.size > 0 else { return nil }
    let size = Double(reader.size)
    return reader.available.map { Double($0.lowerBound) / size..<Double($0.upperBound) / size }
  }

  /// The part of the film on the screen that has arrived; nil like ``arrived``.
  var arrivedPart: ArrivedPart? {
    source.map { source in
      let bytes = source.reader.available.reduce(0) { $0 + $1.upperBound - $1.lowerBound }
      return ArrivedPart(bytes: Int(bytes), size: Int(source.size))
    }
  }

  /// The owner of the copy that a film comes from.
  func owner(of film: FilmIdentity) -> Participant.ID? {
    SharedFilm.id(of: film.location).flatMap { attachments[$0]?.addedBy }
  }

  func set(_ attachments: [GroupSessionJournal.Attachment]) {
    self.attachments = Dictionary(attachments.map { ($0.id, $0) }) { first, _ in first }
  }

  /// Opens the copy that a location means; nil for other locations.
  ///
  /// - Throws: the reason why it can't be read, as text for the user.
  func open(_ location: String) async throws -> SharedFilmSource? {
    guard let id = SharedFilm.id(of: location) else { return nil }
    guard let attachment = attachments[id] else {
      throw StreamProblem(description: "The film isn't shared any more.")
    }
    do {
      let source = SharedFilmSource(try await attachment.open())
      self.source = source
      return source
    } catch {
      throw StreamProblem(description: "The shared film can't be opened: \(error)")
    }
  }
}

/// A shared film as libmpv reads it.
final class SharedFilmSource: MediaSource {
  let reader: AttachmentReader

  init(_ reader: AttachmentReader) { self.reader = reader }

  deinit { reader.close() }

  var size: Int64 { reader.size }

  func read(
    at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, unless isReleased: () -> Bool
  ) -> Int? {
    while true {
      do throws(JournalError) {
        return try reader.read(at: offset, into: buffer, unless: isReleased)
      } catch {
        guard error == .interrupted, !isReleased() else { return nil }
      }
    }
  }

  func wake() { reader.interrupt() }
}
