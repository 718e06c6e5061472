import Foundation
import GroupActivities
import PlaybackCoordination
import Timekeeping

/// Turns events into the lines of a story: merges related events, and names only participants who caused something.
package struct Narrator: Sendable {
  /// The part of the program's state that the texts depend on.
  package struct Context: Sendable {
    /// This participant; nil outside a party.
    package var me: Participant.ID?
    /// The names of the other participants who don't have the film.
    package var withoutFilm: [String] = []
    package var isPlaying = false
    package var hasFilm = false
    /// The current day, as ``StoryWords/day(_:)`` writes it.
    package var today = ""
    /// The ending of the last party, if this participant didn't leave it.
    package var partyEnding: PartyEnding?

    package init(me: Participant.ID? = nil) { self.me = me }
  }

  /// New participants, or participants who were in the party before, that one line names.
  private struct Crowd: Sendable {
    var line: Int
    var words: Words
    var names: [String]
    var last: HostTime

    enum Words: Sendable { case wereHere, joined }

    var narration: Narration {
      switch (words, names.count) {
      case (.joined, 1): .did("joined", by: names[0])
      case (.joined, _): .note("\(StoryWords.list(names)) joined")
      case (.wereHere, 1): .did("is here", by: names[0])
      case (.wereHere, _): .note("\(StoryWords.list(names)) are here")
      }
    }
  }

  private static let crowdGap = Duration.seconds(3)
  /// The time within which a film that follows in the playlist starts automatically.
  private static let automaticStart = Duration.seconds(15)
  /// The time after opening a film within which a seek to its beginning comes from the player itself.
  private static let opening = Duration.seconds(3)

  private static let noticeGap = Duration.seconds(10)

  /// A Boolean value that indicates whether the user only hears the story: outside a party, too, it says what this user
  /// did.
  private let isHeard: Bool
  private var lastLine = 0
  private var wasDisconnected = false
  private var wasClosed = false
  private var run: CommandRun?
  private var crowd: Crowd?
  /// The line about the participant who left last.
  private var departure: (line: Int, name: String)?
  /// Participants who lost the connection.
  private var lost: Set<Participant.ID> = []
  /// The position at which the film is paused; nil while it plays, or before it is known.
  private var pausedAt: MediaTime?
  private var openedAt: HostTime?
  /// The film that followed automatically, and the time at which it did.
  private var next: (title: String, at: HostTime)?
  private var isFilmOver = false
  /// The last action that a notice announced.
  private var notice: (words: String, name: String, at: HostTime)?

  package init(isHeard: Bool = false) { self.isHeard = isHeard }

  package mutating func narrate(
    _ event: ScreeningEvent, _ context: Context, at now: HostTime
  ) -> [StoryLine] {
    switch event {
    case .joined(let me, let isHost):
      return isHost ? [] : [append(.note("You joined as \(me.name)"))]
    case .participantJoined(let participant, let wasHere):
      return joined(participant, wasHere: wasHere, at: now)
    case .participantLeft(let participant, let isAnnounced):
      if !isAnnounced { lost.insert(participant.id) }
      let line = append(.did(isAnnounced ? "left" : "lost connection", by: participant.name))
      departure = (line.id, participant.name)
      return [line]
    case .renamed(let participant, let old):
      return [append(.did("is now \(participant.name)", by: old))]
    case .chat(let participant, let text):
      return [append(.said(text, by: participant.name, isOwn: participant.id == context.me))]
    case .earlierChat(let lines, let participant):
      return [append(.note("Earlier, from \(participant.name):"))]
        + lines.map {
          append(.recalled($0.text, by: $0.name, ago: .seconds($0.secondsAgo)))
        }
    case .vote(let vote): return [append(.note(vote.sentence))]
    case .echo(let echo): return [append(.note("\(echo.from), last time: \(echo.text)"))]
    case .moment(let moment):
      let time = StoryWords.clock(MediaTime(seconds: moment.position))
      let names = StoryWords.list(moment.names)
      return [append(.note("\(Reaction.moment.symbol) \(names) marked the moment at \(time)"))]
    case .countdown(let seconds): return [line("Starting in \(seconds)…", .information)]
    case .action(let action, let participant):
      return noticed(action.words, by: participant.name, at: now)
    case .rules(let rules): return rules.changes.map { append(.did($0, by: rules.by)) }
    case .activity(let film, let by, let cause): return opened(film.title, by: by, cause, at: now)
    case .opened:
      openedAt = now
      return []
    case .command(let change, let by): return commanded(change, by: by, context, at: now)
    case .ended(let continues): return filmEnded(continues: continues)
    case .drawingBegan(let by, again: false):
      return [append(.did("started to draw", by: by))]
    case .drawingBegan(let by, again: true):
      return [append(.did("cleared the drawing", by: by))]
    case .sessionEnded(let by): return [append(.did("ended the film for everyone", by: by))]
    case .partyClosed(let by): return [closed(by: by, context)]
    case .left(let closing): return left(closing: closing, context)
    case .connected:
      defer { wasDisconnected = false }
      return wasDisconnected ? [line("Reconnected", .information)] : []
    case .disconnected:
      wasDisconnected = true
      return [
        line(
          context.isPlaying
            ? "Connection lost. The film keeps playing; reconnecting…"
            : "Connection lost; reconnecting…", .warning)
      ]
    case .met(let participant, let before):
      let day = StoryWords.day(before.last)
      guard day != context.today else { return [] }
      let name = before.name == participant.name ? "" : ", then called \(before.name)"
      return [append(.note("You've met \(participant.name) before (\(day)\(name))"))]
    case .listed(let listing): return listing.sentences.map { append(.note($0)) }
    case .latencyOffset(let offset, let device):
      let suffix = device.map { " (\($0))" } ?? ""
      return [line("Latency offset: \(StoryWords.delay(offset))\(suffix)", .information)]
    case .video(let mode, let isClosed): return [line(Self.words(mode, isClosed), .information)]
    case .resuming(let position):
      return [line("Resuming at \(StoryWords.clock(position))", .information)]
    case .replayEnded(let end): return [line(end.sentence, .information)]
    case .warning(let text): return [line(text, .warning)]
    case .failed(let text, _): return [line(text, .error)]
    case .missed(let count):
      let events = count == 1 ? "1 event is" : "\(count) events are"
      return [line("\(events) missing here: this interface was too slow", .warning)]
    case .ready, .notice, .state, .announced, .participants, .hosting, .reach, .readyCheck,
      .attention, .resumeOffered,
      .mayOpen, .mayShare, .reaction, .drawing, .playlist, .waiting, .suspension, .openWanted,
      .library,
      .changed, .quitWanted, .userQuit:
      return []
    }
  }

  // MARK: - Lines

  private mutating func append(_ narration: Narration, isUnsettled: Bool = false) -> StoryLine {
    lastLine += 1
    run = nil
    crowd = nil
    departure = nil
    return StoryLine(id: lastLine, narration: narration, isUnsettled: isUnsettled)
  }

  /// A temporary message doesn't end the run of lines that may be replaced.
  private mutating func line(_ text: String, _ severity: Narration.Severity) -> StoryLine {
    lastLine += 1
    return StoryLine(id: lastLine, narration: .told(text, severity))
  }

  // MARK: - People

  private mutating func joined(
    _ participant: ScreeningEvent.Person, wasHere: Bool, at now: HostTime
  ) -> [StoryLine] {
    if lost.remove(participant.id) != nil {
      return [append(.did("is back", by: participant.name))]
    }
    let words: Crowd.Words = wasHere ? .wereHere : .joined
    if var crowd, crowd.words == words, now - crowd.last < Self.crowdGap {
      crowd.names.append(participant.name)
      crowd.last = now
      self.crowd = crowd
      return [StoryLine(id: crowd.line, narration: crowd.narration)]
    }
    let crowd = Crowd(line: lastLine + 1, words: words, names: [participant.name], last: now)
    let line = append(crowd.narration)
    self.crowd = crowd
    return [line]
  }

  private mutating func closed(by name: String, _ context: Context) -> StoryLine {
    wasClosed = true
    let narration = Narration.note(
      "\(name) closed the party." + (context.hasFilm ? " You keep watching alone." : ""))
    guard let departure, departure.name == name else { return append(narration) }
    // The line about the closed party replaces the line that its host left.
    return StoryLine(id: departure.line, narration: narration)
  }

  private mutating func left(closing: Bool, _ context: Context) -> [StoryLine] {
    defer {
      let lastLine = lastLine
      self = Narrator(isHeard: isHeard)
      self.lastLine = lastLine
    }
    guard !wasClosed else { return [] }
    // A participant who didn't choose to leave gets the reason of the party's end instead.
    let note = closing ? "You closed the party" : "You left the party"
    return [append(.note(context.partyEnding?.sentence ?? note))]
  }

  /// The same action again within a short time, such as several changes of the playlist, gets no line of its own.
  private mutating func noticed(
    _ words: String, by name: String, at now: HostTime
  ) -> [StoryLine] {
    defer { notice = (words, name, now) }
    if let notice, notice.words == words, notice.name == name, now - notice.at < Self.noticeGap {
      return []
    }
    return [append(.did(words, by: name))]
  }

  // MARK: - The film

  private mutating func opened(
    _ title: String, by name: String, _ cause: FilmCause, at now: HostTime
  ) -> [StoryLine] {
    pausedAt = .zero
    openedAt = now
    isFilmOver = false
    switch cause {
    case .chosen: return [append(.did("opened \(title)", by: name))]
    case .own: return []
    case .current: return [append(.note("The party is watching \(title)"))]
    case .following:
      // All participants move on at the end of a film, so the same event arrives several times.
      if let next, next.title == title, now - next.at < Self.automaticStart { return [] }
      next = (title, now)
      return [append(.note("Next: \(title)"))]
    }
  }

  private mutating func filmEnded(continues: Bool) -> [StoryLine] {
    guard !continues, !isFilmOver else { return [] }
    isFilmOver = true
    return [append(.note("The film is over"))]
  }

  private mutating func commanded(
    _ change: CoordinatedChange, by name: String, _ context: Context, at now: HostTime
  ) -> [StoryLine] {
    let before = pausedAt
    switch change.kind {
    case .ended:
      pausedAt = change.itemTime
      return []
    case .proposed: return []
    case .play: pausedAt = nil
    case .pause:
      pausedAt = change.itemTime
      next = nil
    case .seek: if before != nil { pausedAt = change.itemTime }
    case .rate: break
    }
    guard !isAutomatic(change, before, at: now) else { return [] }
    isFilmOver = false
    guard isHeard || context.me != nil else { return [] }
    let author = context.me == nil ? "You" : name
    var lines: [StoryLine] = []
    if var run, run.add(change, at: now) {
      self.run = run
      lines = [
        StoryLine(
          id: run.line, narration: .did(run.words, by: author), isUnsettled: run.isUnsettled)
      ]
    } else {
      let run = CommandRun(change, line: lastLine + 1, at: now)
      lines = [append(.did(run.words, by: author), isUnsettled: run.isUnsettled)]
      self.run = run
    }
    if change.kind == .play, change.originator == context.me, !context.withoutFilm.isEmpty {
      let verb = context.withoutFilm.count == 1 ? "doesn't" : "don't"
      lines.append(
        line("\(StoryWords.list(context.withoutFilm)) \(verb) have the film yet", .information))
    }
    return lines
  }

  /// Returns a Boolean value that indicates whether no participant caused the change: the next film started, or a
  /// seek leads to the position that the film already has.
  private mutating func isAutomatic(
    _ change: CoordinatedChange, _ before: MediaTime?, at now: HostTime
  ) -> Bool {
    switch change.kind {
    case .play:
      return next.map { now - $0.at < Self.automaticStart } ?? false
    case .seek:
      if run?.accepts(change, at: now) == true { return false }
      if let before, abs((change.itemTime - before).inSeconds) < 0.5 { return true }
      guard let openedAt, now - openedAt < Self.opening else { return false }
      return change.itemTime < MediaTime(seconds: 0.5)
    case .pause, .rate, .ended, .proposed: return false
    }
  }

  private static func words(_ location: ScreeningEvent.VideoLocation, _ isClosed: Bool) -> String {
    switch (location, isClosed) {
    case (.terminal, true): "Window closed – film moved to the terminal"
    case (.window, true), (.none, true): "Window closed – picture off"
    case (.terminal, false): "Film in the terminal"
    case (.window, false): "Film in a window"
    case (.none, false): "Picture off"
    }
  }
}
