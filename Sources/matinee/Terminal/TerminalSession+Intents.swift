import Foundation
import GroupActivities
import MPVPlayer
import TerminalUI
import Timekeeping

/// What the person wants.
extension TerminalSession {
  func carryOut(_ intent: Intent) async throws {
    if try await theater.carryOut(intent) { return }
    switch intent {
    case .changeVolume(by: let change):
      try await theater.player.addVolume(change)
      let volume = await theater.player.snapshot().volume
      tell("volume \(Int(volume.rounded())) %", .information)
    case .cycleVideo: try await cycleVideo()
    case .cycleAudio:
      let track = try await theater.player.cycleAudioTrack()
      tell("sound: " + Self.words(for: track), .information)
    case .openParty:
      try await theater.openParty(plan.hosting)
      try await plan.writeInvite(of: theater)
    case .join(let invite):
      tell("joining…", .information)
      await render()
      try await theater.joinParty(try Invite(invite), brokers: plan.hosting.brokers)
    case .copiedInvite:
      tell("the invite is in the clipboard, if your terminal allows it", .information)
    case .search(let query): await index?.search(query)
    case .addFolder(let path): try await addFolder(path)
    case .forget(let id): try await forget(id)
    case .rejoinLast:
      guard let last = library.remembered.parties.first(where: { $0.ending == nil }) else {
        return tell("there is no party to come back to: I joins one by its invite", .information)
      }
      try await rejoin(last.id)
    case .choose(let id):
      if case .party(let party)? = RememberedItem(id: id) { return try await rejoin(party) }
      if FilmLibrary.isPlace(id) { library.enter(id) } else { await choose(id) }
    case .chooseAnew(let id): await choose(id, isAnew: true)
    case .showDetails(let id): await showDetails(of: id)
    case .leaveFolder: if let parent = library.parent { library.enter(parent) }
    case .openURL(let location): await choose(location)
    case .answer(_, let choice): await answer(choice)
    case .showSync(let isShown): isSyncShown = isShown
    case .quit, .terminate: quits = true
    // The theater's, which lists them all.
    default: preconditionFailure("an intent that nobody carries out")
    }
  }

  // MARK: - For everyone, or just me

  /// Opens a film. In a party it is asked for whom, unless it can only be one's own copy of what all watch.
  ///
  /// - Parameter isAnew: from its beginning, wherever it was left.
  func choose(_ location: String, isAnew: Bool = false) async {
    let status = await theater.status()
    // What can't be opened is told by trying.
    guard let film = try? await FilmIdentity.read(location) else {
      return await theater.open(location)
    }
    if film.identifier == status.film?.identifier {
      // It is open: there is nothing to go on with.
      return isAnew ? await theater.beginAnew() : await theater.open(film)
    }
    let place = isAnew ? nil : await index?.details[location]?.watched?.resumePosition
    guard status.participants.count > 1 else {
      tellResuming(at: place)
      return await theater.open(film, at: place)
    }
    guard film.identifier != status.activity?.identifier else { return await theater.open(film) }
    chosen = (film, place)
    let title = PartyText.clean(film.title, limit: 100)
    var choices: [QuestionModel.Choice] = [
      .init(id: "me", key: "m", title: "just me: the others go on with theirs"),
      .init(id: "cancel", key: "c", title: "cancel"),
    ]
    if status.mayControl {
      choices.insert(.init(id: "everyone", key: "e", title: "for everyone"), at: 0)
    }
    question = QuestionModel(
      id: "choose " + location, text: TerminalText("Watch “\(title)”?"), choices: choices,
      initialChoice: 0)
  }

  func answer(_ choice: String) async {
    question = nil
    guard let (film, place) = chosen else {
      return await theater.decide(choice != "no", forGood: choice == "always")
    }
    chosen = nil
    if choice != "cancel" { tellResuming(at: place) }
    switch choice {
    case "everyone": await theater.open(film, at: place)
    case "me": await theater.openAlone(film, at: place)
    default: break
    }
    // What the party asked meanwhile is asked now.
    if let waiting = await theater.undecided {
      show(
        host: waiting.host, location: PartyText.clean(waiting.activity.location ?? "", limit: 300))
    }
  }

  private func tellResuming(at place: MediaTime?) {
    guard let place else { return }
    tell("it goes on at \(Narrator.clock(place)), where it was left; g 0 begins anew", .information)
  }

  func show(host: String, location: String) {
    question = QuestionModel(
      id: location, text: TerminalText("The party's film is at \(host). Open it from there?"),
      choices: [
        .init(id: "yes", key: "y", title: "yes, while this program runs"),
        .init(id: "always", key: "a", title: "always, in every party"),
        .init(id: "no", key: "n", title: "no"),
      ])
  }

  /// Which of several files it is from counts more than its own title.
  private static func words(for track: PlayerSnapshot.Track?) -> String {
    guard let track else { return "none" }
    let file = track.file.map { PartyText.clean(($0 as NSString).lastPathComponent, limit: 60) }
    let own = [track.title, track.language].compactMap(\.self).joined(separator: ", ")
    return file ?? (own.isEmpty ? "track \(track.id)" : PartyText.clean(own, limit: 60))
  }

  func cycleVideo() async throws {
    let player = theater.player
    let next: MPVConfiguration.VideoMode =
      switch await player.videoMode {
      case .frames: Display.isThere ? .window : .none
      case .window: .none
      case .none: .frames
      }
    try await theater.show(in: next)
  }
}
