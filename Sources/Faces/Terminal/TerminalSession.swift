import Concurrency
import Foundation
import GroupActivities
import MPVPlayer
import MatineeKit
import MediaLibrary
import PlaybackCoordination
import Screening
import TerminalUI
import Timekeeping

/// The interface for people: the screen.
package actor TerminalSession {
  let program: Program
  let plan: Plan
  let screen: TerminalScreen
  var library: FilmShelf
  /// The reader of the folders, which never makes the screen wait.
  let folders: FolderReader
  /// The details of the library's films; nil without a library.
  let index: LibraryIndex?
  /// The film whose page is open, and its still if there is one.
  var detailed: (id: String, still: PictureModel?)?
  let still: Still
  var stillTask: Task<Void, Never>?
  var chat: [ChatEntry] = []
  var message: (model: MessageModel, until: HostTime)?
  /// A Boolean value that indicates whether the user has read why there are no pixels.
  private var hasExplainedPixels = false
  /// The size of the subtitles that the user chose last.
  private var subtitleScale = 1.0
  /// The end of the message that answers the last request; nil if none does.
  private var answered: HostTime?
  var question: QuestionModel?
  /// The command that would close the party for others, while it awaits confirmation.
  var departure: Departure?
  /// The user's answer to the question whether a chosen film is for everyone; nil without such a question.
  var intent: OneShot<GroupActivityActivationResult>?
  /// The number of such questions.
  var intentsAsked = 0
  var reactions: [ReactionEntry] = []
  static let reactionLimit = 16
  let keyBindings: KeyBindings
  private var ticker: Task<Void, Never>?
  /// A Boolean value that indicates whether the sync page is open.
  var isSyncShown = false
  var quits = false
  var narrator = Narrator()
  /// The chat's entries about the story's newest lines, which may still be replaced.
  var storyEntries: [(line: Int, entry: ChatEntry.ID)] = []
  static let storyLimit = 8
  /// The result of copying or saving the invite.
  var inviteNotice: MessageModel?
  var copyOutcome = Clipboard.Outcome.sent
  /// The problems that the help lists.
  var settingsProblems: [TerminalText] = []

  /// The answer to the last request to complete a path.
  private var completion: PathCompletion?
  /// The last reported problem of the library.
  var shownProblem: String?

  static let chatLimit = 500
  static let messageLife = Duration.seconds(8)
  /// The interval between redraws while the time on the screen runs.
  static let tick = Duration.milliseconds(250)

  /// The number of events that wait while the terminal is slow. Beyond it the oldest are dropped, and a notice reports
  /// how many.
  package static let eventLimit = 1024
  /// The events whose content the screen reads from the status.
  package static let ignoredEvents: Set<ScreeningEvent.Kind> = [.participants]

  private enum Input: Sendable {
    case user(UserCommand)
    case screen(ScreenCommand)
    case event(ScreeningEvent)
    /// A folder was read.
    case folderChanged
    /// More is known about the library's films.
    case libraryChanged
    case end
  }

  /// The session's one queue. A source of events waits while it is full, so that the bound of its own queue applies; the
  /// user doesn't wait.
  private struct Inbox: ScreenOwner {
    let inputs = BoundedInbox<Input>(costLimit: 256, essentialLimit: 4096)

    func perform(_ command: UserCommand) { inputs.putEssential(.user(command)) }
    func perform(_ command: ScreenCommand) { inputs.putEssential(.screen(command)) }
    func screenClosed() { inputs.putEssential(.end) }
  }

  package static func run(
    program: Program, events: AsyncStream<ScreeningEvent>, plan: Plan, library: MediaLibrary?,
    screen configuration: TerminalScreen.Configuration,
    warnings: [String]
  ) async throws {
    if case .joining = plan.entrance {
      // Before the screen opens, so that an error of the invite appears on the plain terminal.
      FileHandle.standardError.write(Data("matinee: Joining…\n".utf8))
      try await plan.begin(program)
    }
    let inbox = Inbox()
    let screen = try await TerminalScreen.open(configuration, for: inbox)
    let films = await OwnedThread.run("library") { FilmShelf(roots: plan.roots) }
    let session = TerminalSession(
      program: program, plan: plan, library: library, films: films, screen: screen,
      keyBindings: configuration.keyBindings)
    let frames = program.frames
    frames.setTarget(PaneTarget(surface: screen.picture))
    screen.picture.onNeedsPicture { frames.redraw() }
    defer {
      screen.picture.onNeedsPicture(nil)
      frames.setTarget(nil)
    }
    await session.warn(
      ofSettings: SettingsSummary(warnings), helpKey: configuration.keyBindings.helpKey)
    do {
      try await session.run(events, inbox.inputs)
    } catch {
      await session.showDetails(of: nil)
      await screen.close()
      throw error
    }
    await session.showDetails(of: nil)
    await screen.close()
  }

  private init(
    program: Program, plan: Plan, library known: MediaLibrary?, films: FilmShelf,
    screen: TerminalScreen, keyBindings: KeyBindings
  ) {
    index = known.map {
      LibraryIndex(library: $0) { path in (try? FilmIdentity(path))?.identifier }
    }
    still = Still(frames: program.frames)
    self.program = program
    self.plan = plan
    self.screen = screen
    self.keyBindings = keyBindings
    library = films
    folders = FolderReader()
  }

  private func run(
    _ events: AsyncStream<ScreeningEvent>, _ inbox: BoundedInbox<Input>
  ) async throws {
    let program = program
    let index = index
    let folders = folders
    let tasks = [
      Task {
        for await _ in folders.changes { await inbox.send(.folderChanged) }
      },
      Task {
        await index?.refresh()
        if let changes = index?.changes {
          for await _ in changes { await inbox.send(.libraryChanged) }
        }
      },
      Task {
        for await event in events { await inbox.send(.event(event)) }
      },
    ]
    defer {
      for task in tasks { task.cancel() }
      inbox.finish()
      ticker?.cancel()
    }
    await program.setActivationPreparer { [weak self] metadata in
      await self?.askIntent(toShare: metadata) ?? .activationPreferred
    }
    switch plan.entrance {
    case .joining: break
    case .alone, .hosting, .room: try await plan.begin(program)
    }
    await render()
    for await input in inbox.makeStream() {
      var status: ProgramStatus?
      switch input {
      case .end: return
      case .folderChanged: break
      case .libraryChanged:
        await readRemembered()
        // The library may have found a copy of the party's film.
        await program.handle(.film(.libraryChanged))
      case .event(let event):
        // Showing the event doesn't change the program, so the same status serves for drawing.
        let now = await program.status()
        status = now
        await show(event, now)
      case .user(let command):
        // The answer to an earlier command is out of date.
        if message?.until == answered { message = nil }
        await attempt { try await self.perform(command) }
      case .screen(let command): await attempt { try await self.perform(command) }
      }
      if quits { return }
      await render(status)
    }
  }

  /// Carries out a request, and notes whether it was answered by a message.
  private func attempt(_ body: () async throws -> Void) async {
    let before = message?.until
    defer { answered = message?.until == before ? nil : message?.until }
    do {
      try await body()
    } catch {
      show(
        ErrorAdvice.text(
          of: error,
          hosting: ErrorAdvice.hostingInTerminal(key: keyBindings.hostKey == nil ? nil : "P")),
        .error)
    }
  }

  /// The contents of the folder that is shown, as far as they are known.
  var listing: FolderListing {
    library.subject.map { folders.listing(of: $0) } ?? .read([], change: nil)
  }

  func complete(_ request: PathCompletion.Request) async {
    completion = PathCompletion(request, in: await Self.names(in: request.folder))
  }

  // MARK: - Drawing

  /// - Parameter known: the current status; nil reads it.
  func render(_ known: ProgramStatus? = nil) async {
    let status = if let known { known } else { await program.status() }
    if let message, message.until < .now() { self.message = nil }
    // The friend may have found a copy meanwhile.
    if question?.id == Self.shareQuestion, await program.shareQuestion == nil { question = nil }
    let isAway = await program.isSteppedAway
    let name = await program.name
    let sync = isSyncShown ? SyncModel(await program.syncHistory, status) : nil
    let listing = listing
    let entries = library.entries(listing)
    await index?.show(
      entries.filter { $0.kind == .film || $0.kind == .audio }.map(\.location))
    let known = await index?.details ?? [:]
    var model = ScreenModel(
      status: status, chat: chat, reactions: reactions,
      library: LibraryModel(
        library, entries, known: known, found: await index?.found, current: status.film,
        notice: library.subject == nil ? nil : listing.notice),
      details: detailsModel(known),
      message: message?.model,
      question: question,
      ownName: name, isSteppedAway: isAway, slashCommands: SlashCommand.all.map(\.name),
      canRejoin: library.remembered.parties.contains { $0.ending == nil }, sync: sync)
    model.isPictureCoarser = screen.picture.isCoarser
    model.picture?.subtitles.drawnScale = await drawSubtitles(status.player)
    model.settingsProblems = settingsProblems
    model.inviteNotice = inviteNotice
    model.completion = completion
    model.slashHelp = SlashCommand.all
    await screen.render(model)
    let isWaitingForLink = status.invite != nil && !status.link.isUp
    keepTicking(isMoving(status) || isWaitingForLink || message != nil)
  }

  private func isMoving(_ status: ProgramStatus) -> Bool {
    switch status.coordinator.status {
    case .playing, .waiting: true
    case .paused, .noItem: false
    }
  }

  /// Lets mpv draw the subtitles into the picture if they don't look like text, and can be read there.
  ///
  /// - Returns: their size; nil if they are shown as text.
  private func drawSubtitles(_ player: PlayerSnapshot) async -> Double? {
    let (scale, height) = (player.subtitleScale, screen.picture.height)
    let areStyled = player.tracks.contains { $0.areStyledSubtitles && $0.isSelected }
    let isDrawn =
      height.map { Subtitles.areDrawn(scale: scale, areStyled: areStyled, height: $0) } ?? false
    if scale != subtitleScale, scale != 1, height != nil, !isDrawn {
      show(
        "Subtitles of another size need more pixels: enlarge the terminal's window or font.",
        .information)
    }
    subtitleScale = scale
    // It fails only if the player has ended.
    try? await program.player.drawSubtitles(isDrawn)
    return isDrawn ? scale : nil
  }

  /// Returns the reason why the picture can't have pixels, once, and nothing where it can.
  func takePixelHint() -> String {
    defer { hasExplainedPixels = true }
    guard !hasExplainedPixels, !screen.picture.hasPixels else { return "" }
    let environment = ProcessInfo.processInfo.environment
    if environment["STY"] != nil { return ". GNU screen shows no pixels." }
    return environment["TMUX"] == nil
      ? "" : ". In tmux, pixels need kitty and: set -g allow-passthrough on"
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
