import Foundation
import GroupActivities
import Timekeeping

/// The films that participants share: what this user gives, and what the user agreed to take.
struct Sharing: Hashable, Sendable {
  /// A Boolean value that indicates whether this user shares the films that it opens for everyone.
  private(set) var isOn = false
  /// The picture of the copies that this user shares; nil for the files themselves.
  private var quality: ShareQuality?
  /// The films that this participant shares in the session.
  private(set) var given: Set<String> = []
  /// The copies that other participants share, in the order in which they were added.
  private(set) var offers: [SharedFilm] = []
  var subtitles = SubtitleSharing()
  /// The participants whose copies the user agreed to watch, the copies that were opened, and those that the user doesn't
  /// want.
  private var agreed: Set<Participant.ID> = []
  private var taken: Set<UUID> = []
  private var declined: Set<UUID> = []
  /// The next film of the list in another participant's copy, since when it is known, and whether it is fetched.
  private var next: Next?
  /// The folder for copies of the films that others share, and the films that are kept already.
  private var folder: String?
  private var kept: Set<String> = []
  /// The films that the user doesn't want to share.
  private var withheld: Set<String> = []
  /// The participants who lack the film on this participant's screen, and since when.
  private var lacking: [Participant.ID: HostTime] = [:]
  /// The question that was shown last.
  private var shown: ShareQuestion?

  /// The measurement of the shared film on the screen, and its item.
  private var meter = ShareMeter()
  private var measured: String?

  private struct Next: Hashable, Sendable {
    var film: SharedFilm
    var since: HostTime
    var isFetched = false
  }

  /// The time after which a participant without the film isn't just about to open it, and a search for a copy of the next
  /// film is over.
  static let patience = Duration.seconds(4)

  /// - Returns: whether the films that are shared have to be withdrawn.
  mutating func turn(on isOn: Bool, _ quality: ShareQuality? = nil) -> Bool {
    let isOther = !isOn || quality != self.quality && !given.isEmpty
    (self.isOn, self.quality) = (isOn, quality)
    withheld = []
    if isOther { given = [] }
    return isOther
  }

  /// Returns the picture of the copy of a film that this user shares; nil for the file itself, which may be smaller.
  func quality(for film: FilmIdentity, lasting duration: MediaTime?) -> ShareQuality? {
    guard let quality, let size = film.fileSize, let duration, duration > .zero else {
      return quality
    }
    return Double(size) * 8 / duration.seconds > Double(quality.bitRate) ? quality : nil
  }

  /// A Boolean value that indicates whether a copy of the next film may be prepared: only one is encoded at a time.
  var givesAhead: Bool { quality == nil }

  /// Returns the orders that share a film; none if it is shared already.
  mutating func give(_ film: FilmIdentity, lasting duration: MediaTime?) -> [ShareOrder] {
    guard !given.contains(film.identifier) else { return [] }
    // Another smaller copy takes the place of the last one.
    let isOther = quality != nil && !given.isEmpty
    if isOther { given = [] }
    given.insert(film.identifier)
    return (isOther ? [.withdraw] : []) + [.give(film, quality(for: film, lasting: duration))]
  }

  /// Another session knows nothing of this one's films.
  mutating func sessionBegan() {
    given = []
    offers = []
    lacking = [:]
    subtitles.sessionBegan()
  }

  mutating func left() {
    let folder = folder
    self = Sharing()
    self.folder = folder
  }

  mutating func heard(of offers: [SharedFilm]) { self.offers = offers }

  mutating func keep(in folder: String) { self.folder = folder }

  /// Returns the folder in which to keep a film; nil for none, and after the first call for the film.
  mutating func folder(for film: String) -> String? {
    guard let folder, kept.insert(film).inserted else { return nil }
    return folder
  }

  /// The user agrees to a copy, and so to the other films of its owner.
  mutating func agree(to film: SharedFilm) {
    agreed.insert(film.owner)
    taken.insert(film.id)
  }

  /// Returns the copy of a film to which the user has agreed; nil for none.
  func agreed(for film: String) -> SharedFilm? {
    offers.first { $0.film == film && agreed.contains($0.owner) && !declined.contains($0.id) }
  }

  /// Returns the copy in the place of one that isn't shared any more: its owner has changed the quality.
  func replacement(for film: FilmIdentity) -> SharedFilm? {
    guard film.isShared, !offers.contains(where: { $0.location == film.location }) else {
      return nil
    }
    return agreed(for: film.identifier)
  }

  /// - Returns: whether the copy is opened without a question. One that can't be read is opened once.
  mutating func take(_ film: SharedFilm) -> Bool { taken.insert(film.id).inserted }

  /// The preparation of the next film.
  enum Preparation: Hashable, Sendable {
    case none
    /// Look for a copy on this computer first.
    case search
    /// Nil to fetch none: another film follows.
    case fetch(SharedFilm?)
  }

  mutating func prepare(_ film: SharedFilm?, at now: HostTime) -> Preparation {
    guard let film else {
      defer { next = nil }
      return next?.isFetched == true ? .fetch(nil) : .none
    }
    guard let next, next.film == film else {
      next = Next(film: film, since: now)
      return .search
    }
    guard !next.isFetched, now - next.since >= Self.patience else { return .none }
    self.next?.isFetched = true
    return .fetch(film)
  }

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
    case .useOwn: break
    case .take(let film): declined.insert(film.id)
    case .give(let film, _): withheld.insert(film.identifier)
    case .giveSubtitles(let file, _): subtitles.settle(file)
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

/// A question to the user about sharing a film, or its subtitles.
package enum ShareQuestion: Hashable, Sendable {
  /// The file that the user named may be another copy of the film that is missing.
  case useOwn(CopyComparison)
  /// Another participant shares the film of which this one has no copy.
  case take(SharedFilm)
  /// These participants lack the film, of which this one has a copy.
  case give(FilmIdentity, to: Set<Participant.ID>)
  /// The user loaded this subtitle file for the film.
  case giveSubtitles(String, of: FilmIdentity)
}

/// An order about films that participants share.
package enum ShareOrder: Hashable, Sendable {
  /// Learn of the films of the party's session; they come as ``ScreeningMachine/ShareEvent/offered(_:)``.
  case follow
  /// Share a film of this user's, or a smaller copy of it. It may take as long as reading the film.
  case give(FilmIdentity, ShareQuality?)
  /// Fetch the beginning of the next film; nil to fetch none.
  case prepare(SharedFilm?)
  /// Share none of this user's films any more, and end the sharing that is under way.
  case withdraw
  /// Write the complete film to a new file in a folder; nil for the folder in which this program was started.
  case keep(FilmIdentity, folder: String?)
  /// Compare the sound of a copy with that of an entry's film; the answer is
  /// ``ScreeningMachine/ShareEvent/aligned(_:entry:_:)``.
  case align(FilmIdentity, with: UInt32)
  /// Describe the sound of this user's film to those who have another copy of it.
  case giveSound(FilmIdentity)
  /// Share the text of a subtitle file of this user's, with the player's delay of subtitles.
  case giveSubtitles(String, of: FilmIdentity)
}
