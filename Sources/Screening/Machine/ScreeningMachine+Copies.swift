import Timekeeping
import WatchTogether

/// Another copy of the party's film, which is watched on the party's timeline (rule 38).
extension ScreeningMachine {
  /// The party's film, if another copy can be watched in its place: it is missing here, or a stream.
  var replaceable: PlaylistEntry? {
    if let missing { return missing }
    guard membership.isMember, !filmMachine.keepsFilm, let entry = list?.current else { return nil }
    return entry.location == nil ? nil : entry
  }

  /// Compares a film with the party's film, to be watched in its place.
  func sameFilm(_ film: FilmIdentity) throws -> [Effect] {
    guard let replaceable else { throw NothingToDo.nothingMissing }
    return [.film(.compare(film, with: replaceable, .use))]
  }

  /// Compares the only file that the user named, and that isn't in the list itself, with the party's film; nil without one.
  func compareNamed() -> [Effect]? {
    guard let file = consent.onlyFile, let replaceable,
      list?.entries.contains(where: { $0.identifier == file.identifier }) == false,
      !consent.copies.values.contains(where: { $0.ownIdentifier == file.identifier })
    else { return nil }
    return [.film(.compare(file, with: replaceable, consent.namesSameFilm ? .use : .offer))]
  }

  /// Opens a film in the place of the party's: by time if both are of one length, and else if the sound of both agrees.
  mutating func use(_ comparison: CopyComparison) -> [Effect] {
    let (film, partys) = (comparison.substitute, comparison.partys)
    // Another film may be the party's by now, or the right copy found.
    guard replaceable?.id == partys.id else { return [] }
    choice.compared(film, with: partys.id)
    if film.timeline != nil { return open(film, for: partys) }
    // The sound of a stream isn't there to be compared.
    let align: [Effect] = partys.location == nil ? [.share(.align(film, with: partys.id))] : []
    if comparison.mayBeSame {
      return [.report(.warning("You watch another copy of “\(partys.title)”, by time."))]
        + open(film, for: partys) + align
    }
    guard align.isEmpty else {
      return [.report(.notice("Comparing the sound of “\(film.title)” with the party's film…"))]
        + align
    }
    let text =
      "“\(film.title)” isn't the party's film, “\(partys.title)” (\(comparison.facts)). "
      + "To watch it nevertheless, give the seconds that it has more at its beginning: offset 12.4"
    return [.report(.failed(text))] + askAboutServer()
  }

  private mutating func open(_ film: FilmIdentity, for entry: PlaylistEntry) -> [Effect] {
    consent.remember([film])
    return films(.copyFound(film, entry: entry.id)) + [.wait(.fileIsOpen)]
  }

  /// The sound of a film was compared with that of the party's.
  mutating func aligned(_ film: FilmIdentity, entry id: UInt32, _ match: CopyMatch) -> [Effect] {
    guard let entry = list?.current, entry.id == id, choice.copy?.film == film else { return [] }
    let isOpen =
      filmMachine.film?.location == film.location && filmMachine.film?.isOtherCopy == true
    let name = "“\(film.title)”"
    switch match {
    case .aligned(let timeline, let agreement):
      let text =
        "\(name) is the party's film: \(StoryWords.place(of: timeline)). "
        + "\(percent(agreement)) of the sound agrees."
      return [.report(.notice(text))] + retime(timeline, of: film, for: entry, isOpen: isOpen)
    case .otherRate(let rate):
      return [
        .report(
          .failed(
            "\(name) is the party's film, but runs \(rateWords(rate)): it can't be watched together."
          ))
      ]
    case .differs(let agreement):
      return [
        .report(
          .failed(
            "\(name) isn't the party's film: only \(percent(agreement)) of the sound agrees."
              + (isOpen ? " It plays by time." : "")))
      ]
    case .unknown(let reason):
      let rest = isOpen ? "It plays by time." : "To watch it nevertheless: offset SECONDS"
      return [.report(.warning("The sound of \(name) can't be compared: \(reason) \(rest)"))]
    }
  }

  private func percent(_ part: Double) -> String { "\(Int((part * 100).rounded(.down))) %" }

  private func rateWords(_ rate: Double) -> String {
    let change = (rate - 1) * 100
    return String(format: "%.1f %% %@", abs(change), change > 0 ? "faster" : "slower")
  }

  /// Moves the own copy on the party's timeline, or opens it there.
  private mutating func retime(
    _ timeline: CopyTimeline, of film: FilmIdentity, for entry: PlaylistEntry, isOpen: Bool
  ) -> [Effect] {
    var film = film
    film.timeline = timeline
    choice.compared(film, with: entry.id)
    consent.remember([film])
    let memory: [Effect] = [.library(.rememberCopy(film))]
    guard isOpen else { return open(film, for: entry) + memory }
    filmMachine.retime(timeline)
    return [.film(.retime(timeline)), .reapply, .report(.changed)] + memory
  }

  /// Sets the seconds by which the own copy's times are larger than the party's.
  ///
  /// - Parameter isChange: whether they are added to the offset that there is.
  mutating func offset(_ offset: Duration, isChange: Bool) throws(NothingToDo) -> [Effect] {
    let shown =
      filmMachine.isShown && filmMachine.film?.isOtherCopy == true ? filmMachine.film : nil
    guard let entry = list?.current, membership.isMember,
      let film = shown ?? (choice.copy?.entry == replaceable?.id ? choice.copy?.film : nil)
    else { throw .noOtherCopy }
    let before = film.timeline ?? CopyTimeline(offset: .zero)
    let timeline = isChange ? before.moved(by: offset) : CopyTimeline(offset: offset)
    return [.report(.notice("Your copy of the film: \(StoryWords.place(of: timeline))."))]
      + retime(timeline, of: film, for: entry, isOpen: shown != nil)
  }

  /// Waits where the own copy lacks what the party sees, and returns by itself.
  mutating func followGap() -> [Effect] {
    let end = filmMachine.film?.timeline.flatMap { timeline in
      group.groupItemTime.flatMap { timeline.gapEnd(at: $0) }
    }
    let isApart = filmMachine.separations.contains(.lacking)
    guard let end, let place = group.groupItemTime, membership.isMember, filmMachine.isShown else {
      return isApart ? films(.rejoined(.lacking, proposing: nil)) : []
    }
    guard !isApart, filmMachine.separations.isEmpty else { return [] }
    let rest = StoryWords.duration(Int((end - place).inSeconds.rounded(.up)))
    return films(.separated(.lacking, for: .notInCopy)) + (group.isPlaying ? pause() : [])
      + [
        .report(.warning("Your copy lacks what the others see now, \(rest). It goes on by itself."))
      ]
  }
}

/// The result of a comparison of two copies' sound.
package enum CopyMatch: Hashable, Sendable {
  /// - Parameter agreement: the part of the party's sound that agrees, from 0 to 1.
  case aligned(CopyTimeline, agreement: Double)
  /// The own copy runs at another rate, such as 25 pictures per second in the place of 24.
  case otherRate(Double)
  case differs(agreement: Double)
  /// There is nothing to compare, for a reason that is a sentence.
  case unknown(String)
}
