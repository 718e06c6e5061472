import GroupActivities
import Timekeeping

/// The newest lines of the party's chat, for participants who return to it.
///
/// A participant that joins a session asks another one, who answers if the asking one was there before: what newcomers
/// missed isn't theirs to read.
struct ChatMemory: Hashable, Sendable {
  private struct Line: Hashable, Sendable {
    var author: ScreeningEvent.Person
    var text: String
    var time: HostTime
  }

  /// The number of lines that are kept and sent.
  static let limit = 50
  /// The largest text of an answer, in bytes of UTF-8.
  private static let sizeLimit = 16 << 10
  /// The longest time that an answer may say has passed since a line.
  private static let ageLimit = 7 * 24 * 3600

  private var lines: [Line] = []
  /// The participants who left and haven't been answered since.
  private var departed: [Participant.ID] = []
  /// The participant whose answer is expected.
  private var asked: Participant.ID?

  mutating func said(_ text: String, by author: ScreeningEvent.Person, at now: HostTime) {
    lines = lines.suffix(Self.limit - 1) + [Line(author: author, text: text, time: now)]
  }

  mutating func left(_ id: Participant.ID) {
    departed = departed.suffix(Membership.departedLimit - 1) + [id]
  }

  /// Asks the host, or without it the one that has been there longest, for what was said before; nil if there is no
  /// other participant.
  mutating func ask(among participants: [Participant], as me: Participant.ID) -> Participant.ID? {
    let others = participants.filter { $0.id != me }
    asked = (others.first { $0.isHost } ?? others.first)?.id
    return asked
  }

  /// Returns the answer to a participant who asks; nil if it gets none.
  mutating func answer(to id: Participant.ID, at now: HostTime) -> [EarlierLine]? {
    guard departed.contains(id) else { return nil }
    departed.removeAll { $0 == id }
    var size = 0
    let newest = lines.reversed().prefix {
      size += $0.text.utf8.count + $0.author.name.utf8.count
      return size <= Self.sizeLimit
    }
    guard !newest.isEmpty else { return nil }
    return newest.reversed().map {
      EarlierLine(
        $0.author, $0.text, secondsAgo: Int((now - $0.time).components.seconds))
    }
  }

  /// Takes an answer in.
  ///
  /// - Returns: its lines as they may be shown; those that this participant has heard itself aren't among them.
  mutating func answered(
    _ answer: [EarlierLine], by id: Participant.ID, at now: HostTime
  ) -> [EarlierLine] {
    guard id == asked else { return [] }
    asked = nil
    var earlier = answer.suffix(Self.limit).compactMap { line -> EarlierLine? in
      guard let name = PartyText.name(line.name), let text = PartyText.chat(line.text) else {
        return nil
      }
      let age = min(max(line.secondsAgo, 0), Self.ageLimit)
      return EarlierLine(.init(id: line.id, name: name), text, secondsAgo: age)
    }
    while let last = earlier.last,
      lines.contains(where: { $0.author.id == last.id && $0.text == last.text })
    {
      earlier.removeLast()
    }
    let recalled = earlier.map {
      Line(
        author: .init(id: $0.id, name: $0.name), text: $0.text,
        time: now - .seconds($0.secondsAgo))
    }
    lines = (recalled + lines).suffix(Self.limit)
    return earlier
  }
}
