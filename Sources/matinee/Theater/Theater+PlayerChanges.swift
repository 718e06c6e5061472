import Screening

/// Films that the user opened or closed in mpv itself: with a key, a script, or mpv's socket.
extension Theater {
  /// Handles a film that the user opened in mpv: for this player alone while it is separate from the group, else for
  /// everyone. A participant who may not choose films returns to the group's.
  func playerLoaded(_ path: String) async {
    let film: FilmIdentity
    do {
      film = try await FilmIdentity.read(path)
    } catch {
      emit(.failed(error.description))
      return await putBack()
    }
    if party != nil, programme.keepsFilm { return await openAlone(film) }
    let isAllowed = await mayChoose || film.identifier == program?.identifier
    guard isAllowed else {
      emit(.failed("Only hosts choose films in this party. You are back at the party's film."))
      return await putBack()
    }
    await open(film)
  }

  /// Handles a film that the user closed in mpv. A participant who may not choose films returns to the group's.
  func playerStopped() async {
    let isAllowed = await mayChoose || programme.keepsFilm
    guard isAllowed else {
      emit(.failed("Only hosts close films in this party. You are back at the party's film."))
      return await putBack()
    }
    emit(.warning("The film was closed in the player"))
    await take(.unplayable)
  }

  /// Opens the film again that the player had.
  private func putBack() async { await take(.putBack(program?.playlist)) }
}
