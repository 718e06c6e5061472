import Foundation
import GroupActivities
import Timekeeping

/// The films that participants share: what this user gives, and what the user agreed to take.
struct Sharing: Hashable, Sendable {
  /// A Boolean value that indicates whether this user shares the films that it opens for everyone.
  private(set) var isOn = false
  /// The films that this participant shares in the session.
  private(set) var given: Set<String> = []
  /// The copies that other participants share, in the order in which they were added.
  private(set) var offers: [SharedFilm] = []
  /// The copies that the user doesn't want.
  private var declined: Set<UUID> = []
  /// The films that the user doesn't want to share.
  private var withheld: Set<String> = []
  /// The participants who lack the film on this participant's screen, and since when.
  private var lacking: [Participant.ID: HostTime] = [:]
  /// The question that was shown last.
  private var shown: ShareQuestion?

  /// The measurement of the shared film on the screen, and its item.
  private var meter = ShareMeter()
  private var measured: String?

  /// The time after which a participant without the film isn't just about to open it.
  static let patience = Duration.seconds(4)

  mutating func turn(on isOn: Bool) {
    self.isOn = isOn
    withheld = []
    if !isOn { given = [] }
  }

  /// - Returns: whether the film wasn't shared before.
  mutating func give(_ film: String) -> Bool { given.insert(film).inserted }

  /// Another session knows nothing of this one's films.
  mutating func sessionBegan() {
    given = []
    offers = []
    lacking = [:]
  }

  mutating func left() {
    self = Sharing()
  }

  mutating func heard(of offers: [SharedFilm]) { self.offers = offers }

  /// - Returns: whether the question isn't the one that was shown last.
  mutating func shows(_ question: ShareQuestion?) -> Bool {
    defer { shown = question }
    return shown != question
  }

  mutating func arrived(
    _ part: ArrivedPart, of film: FilmIdentity, end: MediaTime, at position: MediaTime,
    now: HostTime
  ) -> ShareMeter.Shortage? {
    if measured != film.item { (measured, meter) = (film.item, ShareMeter()) }
    return meter.note(part, of: end - .zero, at: position - .zero, now: now)
  }

  /// Returns the copy of a film that the user may agree to; nil for none.
  func offer(of film: String) -> SharedFilm? {
    offers.first { $0.film == film && !declined.contains($0.id) }
  }

  mutating func decline(_ question: ShareQuestion) {
    switch question {
    case .take(let film): declined.insert(film.id)
    case .give(let film, _): withheld.insert(film.identifier)
    }
  }

  func mayGive(_ film: String) -> Bool {
    !isOn && !given.contains(film) && !withheld.contains(film)
  }

  mutating func lack(_ ids: Set<Participant.ID>, at now: HostTime) {
    lacking = lacking.filter { ids.contains($0.key) }
    for id in ids where lacking[id] == nil { lacking[id] = now }
  }

  /// Returns the participants who have lacked the film for some time.
  func lacking(at now: HostTime) -> Set<Participant.ID> {
    Set(lacking.filter { now - $0.value >= Self.patience }.keys)
  }
}

/// A question to the user about sharing a film.
package enum ShareQuestion: Hashable, Sendable {
  /// Another participant shares the film of which this one has no copy.
  case take(SharedFilm)
  /// These participants lack the film, of which this one has a copy.
  case give(FilmIdentity, to: Set<Participant.ID>)
}

/// An order about films that participants share.
package enum ShareOrder: Hashable, Sendable {
  /// Learn of the films of the party's session; they come as ``ScreeningMachine/ShareEvent/offered(_:)``.
  case follow
  /// Share a film of this user's. It may take as long as reading the film.
  case give(FilmIdentity)
  /// Share none of this user's films any more.
  case withdraw
  /// Write the complete film to a new file in a folder; nil for the folder in which this program was started.
  case keep(FilmIdentity, folder: String?)
}
