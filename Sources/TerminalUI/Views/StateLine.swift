import Screening
import Timekeeping

/// The line above the hints with this participant's state, and the keys that end it.
struct StateLine: Hashable, Sendable {
  struct Key: Hashable, Sendable {
    var name: TerminalText
    var action: TerminalText
  }

  /// The text in shorter and shorter forms.
  private(set) var texts: [TerminalText]
  private(set) var keys: [Key] = []

  private static let gap = 3

  /// Creates the line; nil without a state.
  init?(_ model: ScreenModel, _ state: ScreenState, keyMap: KeyMap, _ symbols: GlyphSet) {
    guard let state = state.participantState(model) else { return nil }
    let longest = model.transport.duration ?? .zero
    func clock(_ time: MediaTime) -> TerminalText { TimeText.clock(time, longest: longest) }
    texts = Self.texts(state, clock, symbols)
    func add(_ command: Command, _ action: TerminalText) {
      guard let name = keyMap.label(of: command, symbols) else { return }
      keys.append(Key(name: name, action: action))
    }
    switch state {
    case .previewing:
      let isShared = model.party != nil
      keys = [
        Key(name: "enter", action: isShared ? "take everyone there" : "stay here"),
        Key(name: "esc", action: "go back"),
      ]
    case .partyClosed(_, let canRejoin):
      if canRejoin { add(.user(.rejoin(nil)), "rejoin") }
      keys.append(Key(name: "esc", action: "dismiss"))
      add(.openPartyOrPictureInPicture, "host a party")
    case .needsCopy:
      add(.toggleLibrary, "library")
      add(.prompt(.openURL), "open file")
    case .notLoaded: add(.user(.answer(true, forGood: false)), "load it")
    case .reconnecting: add(.leaveParty, "leave party")
    case .notReady: add(.user(.toggleReady), "I'm ready")
    case .catchingUp: add(.user(.whatHappened), "skip to now")
    case .watchingAlone, .steppedAway: add(.stepAwayOrRejoin, "rejoin")
    case .trailer: add(.stepAwayOrRejoin, "skip trailer")
    case .unable: add(.toggleLibrary, "library")
    case .sequel: keys = [Key(name: "enter", action: "play it")]
    case .mayResume(let position, let isEnter):
      let command = TerminalText("/seek " + StoryWords.clock(position))
      keys.append(Key(name: isEnter ? "enter" : command, action: "resume"))
    case .invited: keys.append(Key(name: "/join", action: "take part"))
    case .limited: add(.showInvite, "details")
    }
  }

  private static func texts(
    _ state: ParticipantState, _ clock: (MediaTime) -> TerminalText, _ symbols: GlyphSet
  ) -> [TerminalText] {
    let ellipsis = TerminalText(glyphs: [symbols.ellipsis])
    switch state {
    case .previewing(let position, let group):
      let short = "Previewing " + clock(position)
      return (group.map { [short + ". Everyone is at " + clock($0) + "."] } ?? [])
        + [short, clock(position)]
    case .partyClosed(let reason, _):
      return [state.sentence, reason, "The party is over."]
    case .needsCopy(let title):
      return [state.sentence, "No copy of “" + title + "”", "No copy yet"]
    case .notLoaded: return [state.sentence, "Film not loaded"]
    case .reconnecting(let remaining):
      let seconds = remaining.map { max(0, Int($0.inSeconds.rounded(.up))) } ?? 0
      let next: TerminalText =
        seconds > 0 ? "Reconnecting in \(seconds) s" : "Reconnecting" + ellipsis
      return [
        "Connection lost. The film keeps playing. " + next, "Connection lost. " + next, next,
      ]
    case .notReady: return [state.sentence, "Not ready"]
    case .catchingUp(let behind, let rate):
      let speed = TimeText.rate(rate) + TerminalText(glyphs: [symbols.times])
      guard let behind, behind > .zero else { return ["Catching up at " + speed] }
      let distance = TerminalText("\(Int(behind.inSeconds.rounded(.up))) s behind")
      return ["Catching up at " + speed + ": " + distance, "Catching up: " + distance, distance]
    case .watchingAlone(let party):
      return
        (party.map {
          ["You are watching alone. The party is watching “" + $0 + "”."]
        } ?? []) + [state.sentence, "Watching alone"]
    case .trailer: return [state.sentence, "Trailer"]
    case .sequel(let title): return ["Next: " + title, "Next film"]
    case .limited: return [state.sentence, "Not everyone can join"]
    case .invited(let name): return [state.sentence, name + "'s party"]
    case .unable: return [state.sentence, "This film can't be played here.", "Can't play this"]
    case .mayResume(let position, _): return ["Watched to " + clock(position), clock(position)]
    case .steppedAway(let position, let group):
      var texts: [TerminalText] = []
      if let group {
        if let position, abs((group - position).inSeconds) >= 1 {
          texts.append(
            "You stepped away. You are at " + clock(position) + ", everyone else at " + clock(group)
              + "."
          )
        }
        texts.append("You stepped away. Everyone else is at " + clock(group) + ".")
      }
      return texts + ["You stepped away", "Away"]
    }
  }

  /// Returns the longest line that fits: the text is shortened before keys are left out.
  func line(width: Int) -> StyledLine {
    let least = texts.map(\.width).min() ?? 0
    for count in stride(from: keys.count, through: 1, by: -1) {
      let line = line(keys.prefix(count), width: width)
      if line.width <= width || (count == 1 && least > width) { return line }
    }
    return line([], width: width)
  }

  private func line(_ shown: ArraySlice<Key>, width: Int) -> StyledLine {
    var keys = StyledLine()
    for key in shown {
      if !keys.spans.isEmpty { keys.add("  ") }
      keys.add(key.name, .key)
      keys.add(" " + key.action, .quiet)
    }
    let room = width - (keys.spans.isEmpty ? 0 : keys.width + Self.gap)
    let text = TerminalText.longest(fitting: room, of: texts)
    guard !text.isEmpty else { return keys }
    guard !keys.spans.isEmpty else { return StyledLine(text, .caution) }
    var line = StyledLine(text, .caution).adding(TerminalText.blanks(Self.gap))
    line.spans += keys.spans
    return line
  }
}
