import Concurrency
import Foundation
import GroupActivities
import MPVPlayer
import MatineeKit
import MediaLibrary
import Screening
import TerminalUI
import Timekeeping

/// The user's requests.
extension TerminalSession {
  func perform(_ command: UserCommand) async throws {
    if let text = await explanation(of: command) { return show(text, .information) }
    if let departure = Departure(command, lastParty: lastParty) {
      return try await leave(for: departure)
    }
    if case .rejoin(nil) = command {
      // Without the list of parties it isn't known whether there is one.
      if await index?.problems[.parties] != nil, let problem = await index?.problem {
        return show(problem, .error)
      }
      return show("No party to rejoin. Press I to join one with an invite.", .information)
    }
    // In a party the user decides for whom the film opens.
    if case .load(let location) = command { return await choose(location) }
    switch try await program.perform(command) {
    case .done: break
    case .notice(let text): show(text, .information)
    case .state:
      for line in await program.status().sentences { note(.note(TerminalText(line))) }
    }
    if case .host = command { try await plan.writeInvite(of: program) }
    if case .library(.addFolder) = command { await index?.refresh() }
  }

  func perform(_ command: ScreenCommand) async throws {
    switch command {
    case .cyclePictureKind: await cyclePictureKind()
    case .showTracks:
      showMenu(.tracks(of: await program.status().player), or: "This film has no tracks.")
    case .showChapters:
      let status = await program.status()
      showMenu(
        .chapters(of: status.player, at: status.shownPosition), or: "This film has no chapters.")
    case .copiedInvite: await copyInvite()
    case .clipboardAnswered(let answer): clipboardAnswered(answer)
    case .saveInvite: await saveInvite()
    case .savePage: await savePage()
    case .search(let query): await index?.search(query)
    case .completePath(let request): await complete(request)
    case .forget(let id): try await forget(id)
    case .choose(let id):
      if case .party(let party)? = RememberedItem(id: id) {
        return try await leave(for: .rejoin(party))
      }
      if library.isPlace(id, in: listing) { library.enter(id) } else { await choose(id) }
    case .chooseAnew(let id): await choose(id, isAnew: true)
    case .chooseMoment(let id, let index): await chooseMoment(index, of: id)
    case .showDetails(let wanted): await showDetails(of: wanted)
    case .showFilmFolder(let folder): library.open(filmFolder: folder)
    case .leaveFolder: library.leave()
    case .answer(_, let choice): try await answer(choice)
    case .showSync(let isShown): isSyncShown = isShown
    case .browse(let isBrowsing): await program.handle(.browsing(isBrowsing))
    case .explain(let text): show(text, .information)
    case .terminate: quits = true
    }
  }

  /// The id of the last party that can be rejoined; nil if there is none.
  private var lastParty: String? {
    library.remembered.parties.first { $0.ending == nil }?.id
  }

  // MARK: - For everyone, or just me

  /// Opens a film that the user chose. In a party the user first decides whether it is for everyone.
  ///
  /// - Parameters:
  ///   - place: the position at which it begins; nil for the remembered one.
  ///   - isAnew: a Boolean value that indicates whether to begin at the film's start instead.
  func choose(_ location: String, at place: MediaTime? = nil, isAnew: Bool = false) async {
    // Opening reports why a film can't be opened.
    guard let film = try? await FilmIdentity.read(location) else {
      return await program.open(location)
    }
    let last = await index?.details[location]?.watched?.resumePosition
    await program.handle(.chose(film, at: place ?? last, isAnew: isAnew))
  }

  /// Asks the user whether an activity is for everyone, and waits for the answer. A newer question cancels this one.
  func askIntent(toShare metadata: GroupActivityMetadata) async -> GroupActivityActivationResult {
    let mayChoose = await program.status().rights.mayChoose
    let comparison = await program.comparison
    intent?.fulfil(.cancelled)
    let answer = OneShot<GroupActivityActivationResult>()
    intent = answer
    intentsAsked += 1
    question = QuestionModel(
      id: "for whom \(intentsAsked)", film: metadata.title ?? "", comparison: comparison,
      mayChoose: mayChoose)
    await render()
    return await answer.value() ?? .cancelled
  }

  /// Shows a menu, unless the user has to answer a question first.
  private func showMenu(_ menu: QuestionModel?, or text: String) {
    guard let menu else { return show(text, .information) }
    if question?.isMenu ?? true { question = menu }
  }

  func answer(_ choice: String) async throws {
    let (asked, isMenu) = (question?.id, question?.isMenu ?? false)
    question = nil
    if isMenu {
      if !choice.isEmpty { try await perform(UserCommand(choice)) }
      return await askAgain()
    }
    if asked == Departure.question {
      defer { departure = nil }
      if choice == "keep" { _ = try await program.perform(.keepRelay) }
      if choice == "yes", let departure { try await perform(departure) }
      return await askAgain()
    }
    if intent == nil, choice == "copy", let copy = await program.question?.copy {
      _ = try await program.perform(.sameFilm(copy.film.location))
      return
    }
    guard let intent else {
      return await program.decide(choice != "no", forGood: choice == "always")
    }
    self.intent = nil
    switch choice {
    case "everyone": intent.fulfil(.activationPreferred)
    case "me": intent.fulfil(.activationDisabled)
    case "use":
      let copy = await program.comparison?.film.location
      intent.fulfil(.cancelled)
      if let copy { _ = try await program.perform(.sameFilm(copy)) }
    default: intent.fulfil(.cancelled)
    }
    await askAgain()
  }

  /// Shows the party's question that has arisen in the meantime.
  private func askAgain() async {
    if let waiting = await program.question { return show(waiting.asked) }
    if let waiting = await program.shareQuestion { show(waiting) }
  }

  func show(_ asked: ScreeningEvent.ShareQuestion) {
    question = QuestionModel(
      id: Self.shareQuestion, text: TerminalText(asked.text),
      choices: [
        .init(id: "yes", key: "y", title: "Yes"), .init(id: "no", key: "n", title: "No"),
      ])
  }

  /// The identifier of the question about sharing, which another one of its kind replaces.
  static let shareQuestion = "share"

  func show(_ asked: ScreeningEvent.FilmQuestion) {
    let always: [QuestionModel.Choice] =
      asked.isAboutList ? [] : [.init(id: "always", key: "a", title: "Always, in every party")]
    question = QuestionModel(
      id: asked.url, text: TerminalText(asked.text),
      choices: [.init(id: "yes", key: "y", title: "Yes, this time")] + always
        + (asked.copy == nil ? [] : [.init(id: "copy", key: "u", title: "Mine is the same film")])
        + [.init(id: "no", key: "n", title: "No")])
  }

  /// Returns the reason why a command has no effect outside a party; nil if it has one.
  private func explanation(of command: UserCommand) async -> String? {
    guard await program.party == nil else { return nil }
    if command == .whatHappened {
      return "Catching up needs a party. Press ← to go back."
    }
    if command == .suspend(.steppedAway) { return "Stepping away needs a party." }
    return command == .toggleReady ? "“Not ready” needs a party." : nil
  }

  private func cyclePictureKind() async {
    guard await program.player.videoMode == .frames else {
      return show("The picture isn't in the terminal. Press V to change that.", .information)
    }
    let words =
      switch screen.picture.advanceKind() {
      case .pixels: "pixels"
      case .sixel: "sixel"
      case .octants: "octants"
      case .halves: "half-blocks"
      case .quadrants: "quadrants"
      }
    show("Picture: \(words)\(takePixelHint())", .information)
  }
}
