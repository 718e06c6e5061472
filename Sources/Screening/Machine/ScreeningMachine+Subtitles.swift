import GroupActivities

/// Subtitles that participants share, for everyone to choose.
extension ScreeningMachine {
  /// Lets the player load the subtitles of others for the film on the screen.
  mutating func loadSubtitles() -> [Effect] {
    guard membership.isMember, filmMachine.isShown, filmMachine.isOpen, let film = filmMachine.film
    else { return [] }
    return sharing.subtitles.load(for: film.identifier).map { subtitles in
      let (owner, name) = (name(of: subtitles.owner), subtitles.description.name)
      var subtitles = subtitles
      if let timeline = film.timeline {
        subtitles.text = subtitles.text.moved { timeline.own(at: $0) }
      }
      let order = PlayerOrder.addSubtitles(
        subtitles, titled: "\(owner)’s subtitles: \(name)", to: film.item)
      let notice = Effect.report(
        .warning("\(owner) shares subtitles: \(name). Press j to choose them."))
      let isNew = sharing.subtitles.announce(subtitles)
      // The film may have been closed meanwhile.
      return .attempt([.player(order)] + (isNew ? [notice] : []), orElse: .nothing)
    }
  }

  /// The question whether the others should have a subtitle file that the user loaded; nil for none.
  var subtitleQuestion: ShareQuestion? {
    guard let film = sharedFilm, party?.participants.count ?? 0 > 1,
      let file = sharing.subtitles.candidate
    else { return nil }
    return .giveSubtitles(file, of: film)
  }

  /// The party's film, if it is on the screen.
  private var sharedFilm: FilmIdentity? {
    guard membership.isMember, party?.session == .joined, filmMachine.isShown,
      let film = filmMachine.film, list?.current.item == film.item
    else { return nil }
    return film
  }

  /// - Parameter file: nil for the file of the selected subtitles.
  mutating func shareSubtitles(_ file: String?) throws(ShareProblem) -> [Effect] {
    guard let film = sharedFilm else { throw .noFilm }
    let selected = player.tracks.first { $0.isSelected && $0.kind == .subtitles }
    guard let file = file ?? selected?.file else { throw .noSubtitles }
    sharing.subtitles.settle(file)
    return [.share(.giveSubtitles(file, of: film))]
  }
}
