import Foundation
import GroupActivities
import MPVPlayer
import PlaybackCoordination
import TerminalUI
import Timekeeping

/// The face for people: the screen.
actor TerminalSession {
  private let theater: Theater
  private let plan: Plan
  private let screen: TerminalScreen
  private var library: FilmLibrary
  private var chat: [ChatEntry] = []
  private var message: (model: MessageModel, until: HostTime)?
  private var question: QuestionModel?
  private var ticker: Task<Void, Never>?
  /// The page that shows how well this player keeps in step is open.
  private var isSyncShown = false
  private var quits = false
  private var wasDisconnected = false
  /// What was said last about how others get in.
  private var reachNews: String?

  private static let chatLimit = 500
  private static let messageLife = Duration.seconds(8)
  /// While the time on the screen runs.
  private static let tick = Duration.milliseconds(250)

  private enum Input: Sendable {
    case intent(Intent)
    case event(TheaterEvent)
    case end
  }

  static func run(
    theater: Theater, plan: Plan, screen configuration: TerminalScreen.Configuration
  ) async throws {
    if case .joining = plan.entrance {
      // Before the screen opens: an invite that leads nowhere is told on the plain terminal.
      FileHandle.standardError.write(Data("matinee: joining…\n".utf8))
      try await plan.begin(theater)
    }
    let screen = try await TerminalScreen.open(configuration)
    let session = TerminalSession(theater: theater, plan: plan, screen: screen)
    let player = theater.player
    player.setFrameTarget(PaneTarget(surface: screen.picture))
    screen.picture.onNeedsPicture { player.redrawFrame() }
    defer {
      screen.picture.onNeedsPicture(nil)
      player.setFrameTarget(nil)
    }
    do {
      try await session.run()
    } catch {
      await screen.close()
      throw error
    }
    await screen.close()
  }

  private init(theater: Theater, plan: Plan, screen: TerminalScreen) {
    self.theater = theater
    self.plan = plan
    self.screen = screen
    library = FilmLibrary(roots: plan.roots)
  }

  private func run() async throws {
    let (inputs, continuation) = AsyncStream.makeStream(of: Input.self)
    let screen = screen
    let theater = theater
    let tasks = [
      Task {
        for await intent in screen.intents { continuation.yield(.intent(intent)) }
        continuation.yield(.end)
      },
      Task {
        for await event in theater.events { continuation.yield(.event(event)) }
      },
    ]
    defer {
      for task in tasks { task.cancel() }
      ticker?.cancel()
    }
    switch plan.entrance {
    case .joining: break
    case .alone, .hosting: try await plan.begin(theater)
    }
    await render()
    for await input in inputs {
      switch input {
      case .end: return
      case .event(let event): await show(event)
      case .intent(let intent):
        do {
          try await carryOut(intent)
        } catch {
          tell(ExitStatus.advice(error), .error)
        }
      }
      if quits { return }
      await render()
    }
  }

  // MARK: - What the person wants

  private func carryOut(_ intent: Intent) async throws {
    switch intent {
    case .playPause: try await theater.playPause()
    case .skip(by: let distance): try await theater.seek(by: distance)
    case .seek(to: let place): try await theater.seek(to: place)
    case .seekChapter(by: let count): try await seekChapter(by: count)
    case .frameStep(by: let frames): try await theater.step(frames: frames)
    case .setRate(let rate): try await theater.setRate(rate)
    case .multiplyRate(by: let factor): try await theater.multiplyRate(by: factor)
    case .changeVolume(by: let change):
      try await theater.player.addVolume(change)
      let volume = await theater.player.snapshot().volume
      tell("volume \(Int(volume.rounded())) %", .information)
    case .toggleMute: try await theater.player.toggleMute()
    case .changeLatencyOffset(let steps):
      await theater.changeLatencyOffset(by: LatencyOffset.step * steps)
    case .cycleSubtitles: try await theater.player.cycleSubtitleTrack()
    case .toggleSubtitles: try await theater.player.toggleSubtitleVisibility()
    case .cycleVideo: try await cycleVideo()
    case .cycleAudio: try await theater.player.cycleAudioTrack()
    case .startAnyway: try await theater.play(immediately: true)
    case .whatHappened: await theater.whatHappened()
    case .scrub(to: let place): try await theater.scrub(to: place)
    case .endScrub(at: let place): try await theater.endScrub(at: place)
    case .toggleReady: await theater.toggleReady()
    case .advance(by: let step): try await theater.advance(by: step)
    case .enqueue(let id): try await theater.enqueue(id)
    case .stepAway: await theater.suspend(.init(rawValue: "steppedAway"))
    case .rejoin: await theater.resume()
    case .say(let text): try await say(text)
    case .setName(let name): try await theater.setName(name)
    case .openParty:
      try await theater.openParty(plan.hosting)
      try await plan.writeInvite(of: theater)
    case .join(let invite):
      tell("joining…", .information)
      await render()
      try await theater.joinParty(try Invite(invite), brokers: plan.hosting.brokers)
    case .leaveParty: await theater.leaveParty()
    case .endParty: try await theater.endSession()
    case .copiedInvite:
      tell("the invite is in the clipboard, if your terminal allows it", .information)
    case .choose(let id):
      if FilmLibrary.isFolder(id) { library.enter(id) } else { await theater.open(id) }
    case .leaveFolder: if let parent = library.parent { library.enter(parent) }
    case .openURL(let location): await theater.open(location)
    case .answer(_, let choice):
      question = nil
      await theater.decide(choice == "yes")
    case .showSync(let isShown): isSyncShown = isShown
    case .quit, .terminate: quits = true
    }
  }

  private static let slashCommands =
    ["ready-check", "latency-offset"] + PlaylistCommand.words + RuleCommand.words

  /// A line of chat, or after a slash a change of the party's rules. Two slashes are a line with one.
  private func say(_ text: String) async throws {
    guard text.hasPrefix("/"), !text.hasPrefix("//") else {
      return try await theater.say(text.hasPrefix("//") ? String(text.dropFirst()) : text)
    }
    let words = text.dropFirst().split(separator: " ", maxSplits: 1).map(String.init)
    let word = words.first ?? ""
    if word == "ready-check" { return try await theater.askWhetherReady() }
    if word == "latency-offset" {
      let offset = try LatencyOffset(parsing: words.count > 1 ? words[1] : "")
      return await theater.setLatencyOffset(offset)
    }
    if PlaylistCommand.words.contains(word) {
      let rest = words.count > 1 ? words[1] : ""
      return try await theater.carryOut(try PlaylistCommand(word, rest))
    }
    guard RuleCommand.words.contains(word) else {
      let all = Self.slashCommands.map { "/" + $0 }.joined(separator: " ")
      throw HeadlessCommand.Problem(
        description: "there is \(all), and // to say something with a slash")
    }
    let rest = words.count > 1 ? words[1].trimmingCharacters(in: .whitespaces) : ""
    try await theater.change(try RuleCommand(word, rest))
  }

  private func cycleVideo() async throws {
    let player = theater.player
    let next: MPVConfiguration.VideoMode =
      switch await player.videoMode {
      case .frames: Display.isThere ? .window : .none
      case .window: .none
      case .none: .frames
      }
    try await player.setVideoMode(next)
    let place =
      switch next {
      case .frames: "in the pane"
      case .window: "in a window"
      case .none: "nowhere"
      }
    tell("picture: \(place)", .information)
  }

  private func seekChapter(by count: Int) async throws {
    let status = await theater.status()
    let chapters = status.player.snapshot.chapters.map(\.start)
    guard let here = status.coordinator.itemTime, !chapters.isEmpty else { return }
    let current = chapters.lastIndex { $0 <= here + .milliseconds(500) } ?? 0
    try await theater.seek(to: chapters[min(max(0, current + count), chapters.count - 1)])
  }

  // MARK: - What happened

  private func show(_ event: TheaterEvent) async {
    switch event {
    case .hosting:
      note(.note("the party is open: I shows the invite"))
    case .reach(_, let reach):
      do {
        try await plan.writeInvite(of: theater)
      } catch {
        tell("\(error)", .error)
      }
      if let news = reach.news, news != reachNews {
        reachNews = news
        note(.note(TerminalText(news)))
      }
    case .joined(let me): note(.note(TerminalText("you are in, as \(me.name)")))
    case .participantJoined(let participant): did("joined", participant.name)
    case .participantLeft(let participant, let announced):
      did(announced ? "left" : "fell silent", participant.name)
    case .renamed(let participant, let old): did("is now \(participant.name)", old)
    case .chat(let participant, let text):
      let isOwn = await theater.party?.localID == participant.id
      note(.said(TerminalText(text), by: TerminalText(participant.name), isOwn: isOwn))
    case .opened, .playlist: break
    case .rules(let rules, let old, let by):
      let status = await theater.status()
      for change in rules.changes(from: old, name: status.name(of:)) { did(change, by) }
    case .readyCheck(let by):
      did("asked whether everybody is ready", by)
      let isWaitedFor = await theater.party?.rules.waiting != .nobody
      tell(
        "ready? Press R when you are" + (isWaitedFor ? ": the start waits for you" : ""),
        .information)
    case .activity(let activity, let by): did("opened \(activity.title)", by)
    case .command(let change, let by): show(change, by: by)
    case .waiting, .suspension, .changed, .ended: break
    case .latencyOffset(let offset, let device):
      tell("latency offset \(offset.text)" + (device.map { " (\($0))" } ?? ""), .information)
    case .sessionEnded(let by): did("ended the film for everyone", by)
    case .left: note(.note("you left the party"))
    case .connected:
      if wasDisconnected { tell("the relay is back", .information) }
      wasDisconnected = false
    case .disconnected(let reason):
      wasDisconnected = true
      tell("the relay is away (\(reason)): the film goes on, and it is tried again", .warning)
    case .mayOpen(let host, let location):
      question = QuestionModel(
        id: location, text: TerminalText("The party's film is at \(host). Open it from there?"),
        choices: [
          .init(id: "yes", key: "y", title: "yes"), .init(id: "no", key: "n", title: "no"),
        ])
    case .warning(let text): tell(text, .warning)
    case .failed(let text): tell(text, .error)
    case .userQuit: quits = true
    }
  }

  private func show(_ change: CoordinatedChange, by name: String) {
    let place = Self.time(change.itemTime)
    switch change.kind {
    case .play: did("pressed play", name)
    case .pause: did("paused at \(place)", name)
    case .seek: did("went to \(place)", name)
    case .rate: did("set the speed to \(Self.rate(change.rate))", name)
    case .ended, .proposed: break
    }
  }

  private static func time(_ place: MediaTime) -> String {
    let seconds = Int(max(0, place.seconds))
    return seconds >= 3600
      ? String(format: "%d:%02d:%02d", seconds / 3600, seconds / 60 % 60, seconds % 60)
      : String(format: "%d:%02d", seconds / 60, seconds % 60)
  }

  private static func rate(_ rate: Double) -> String {
    String(format: "%g×", (rate * 100).rounded() / 100)
  }

  private func did(_ what: String, _ name: String) {
    note(.did(TerminalText(what), by: TerminalText(name)))
  }

  private func note(_ content: ChatEntry.Content) {
    let now = Calendar.current.dateComponents([.hour, .minute], from: Date())
    chat.append(
      ChatEntry(
        id: (chat.last?.id ?? 0) + 1, hour: now.hour ?? 0, minute: now.minute ?? 0, content))
    if chat.count > Self.chatLimit { chat.removeFirst() }
  }

  private func tell(_ text: String, _ severity: MessageModel.Severity) {
    message = (MessageModel(TerminalText(text), severity: severity), .now() + Self.messageLife)
  }

  // MARK: - Drawing

  private func render() async {
    let status = await theater.status()
    if let message, message.until < .now() { self.message = nil }
    let isAway = await theater.isSteppedAway
    let name = await theater.name
    let sync = isSyncShown ? SyncModel(await theater.syncHistory, status) : nil
    await screen.render(
      ScreenModel(
        status: status, chat: chat, library: library, message: message?.model, question: question,
        ownName: name, isSteppedAway: isAway, slashCommands: Self.slashCommands, sync: sync))
    keepTicking(isMoving(status) || message != nil)
  }

  private func isMoving(_ status: TheaterStatus) -> Bool {
    switch status.coordinator.status {
    case .playing, .waiting: true
    case .paused, .noItem: false
    }
  }

  private func keepTicking(_ isMoving: Bool) {
    guard isMoving else {
      ticker?.cancel()
      ticker = nil
      return
    }
    guard ticker == nil else { return }
    ticker = Task { [weak self] in
      while !Task.isCancelled {
        try? await Task.sleep(for: Self.tick, clock: .suspending)
        if !Task.isCancelled { await self?.render() }
      }
    }
  }
}
