import Foundation
import Timekeeping

/// Answering calls.
extension MPRISMachine {
  enum Answer: Hashable, Sendable {
    case reply([BusValue])
    case failure(BusError)
    /// Carry out a request; the answer follows: an empty reply, or the failure.
    case perform(RemoteCommandRequest)

    /// A request that isn't possible now has no effect; that is not an error.
    static let ignored = Answer.reply([])
  }

  func answer(_ call: BusCall, at now: HostTime) -> Answer {
    let isIntrospection = MPRISInterface.introspectable.name
    if call.member == "Introspect", call.interface ?? isIntrospection == isIntrospection {
      return introspect(call, at: now)
    }
    guard call.path == MPRISInterface.path else { return .failure(.unknownObject(call.path)) }
    let interfaces = MPRISInterface.all.filter { $0.name == call.interface ?? $0.name }
    if let named = call.interface, interfaces.isEmpty {
      return .failure(.unknownInterface(named))
    }
    for interface in interfaces {
      guard let method = interface.methods.first(where: { $0.name == call.member }) else {
        continue
      }
      guard call.signature == method.signature, call.arguments.count == method.input.count else {
        return .failure(
          .invalidArguments(
            "the signature of \(call.member) is “\(method.signature)”, not “\(call.signature)”"))
      }
      guard let publication else { return .failure(.failed("nothing to play")) }
      switch interface.name {
      case MPRISInterface.properties.name: return property(call, of: publication, at: now)
      case MPRISInterface.trackList.name: return trackList(call, of: publication, at: now)
      default: return player(call, of: publication, at: now)
      }
    }
    return .failure(.unknownMethod(call.member))
  }

  private func introspect(_ call: BusCall, at now: HostTime) -> Answer {
    let document = Introspection.document(of: call.path) { interface, property in
      value(of: property, in: interface, at: now) != nil
    }
    guard let document else { return .failure(.unknownObject(call.path)) }
    return .reply([.string(document)])
  }

  // MARK: - Properties

  private func value(of property: String, in interface: String, at now: HostTime) -> BusValue? {
    guard let publication else { return nil }
    if interface == MPRISInterface.player.name, property == "Position" {
      return .int64(publication.position(at: now).microseconds)
    }
    return publication.properties(of: interface, at: now)?[property]
  }

  private func property(
    _ call: BusCall, of publication: Publication, at now: HostTime
  ) -> Answer {
    guard case .string(let interface)? = call.arguments.first else {
      return .failure(.invalidArguments("the name of the interface is missing"))
    }
    guard let known = MPRISInterface.named(interface) else {
      return .failure(.unknownInterface(interface))
    }
    if call.member == "GetAll" {
      var values = publication.properties(of: interface, at: now) ?? [:]
      if interface == MPRISInterface.player.name {
        values["Position"] = value(of: "Position", in: interface, at: now)
      }
      return .reply([.dictionary(values)])
    }
    guard case .string(let name) = call.arguments[1],
      let property = known.properties.first(where: { $0.name == name }),
      let value = value(of: name, in: interface, at: now)
    else {
      return .failure(.unknownProperty("\(interface).\(call.arguments[1].text)"))
    }
    guard call.member == "Set" else { return .reply([.variant(value)]) }
    guard property.isWritable else { return .failure(.readOnly("\(name) can't be set")) }
    guard case .variant(let wanted) = call.arguments[2], wanted.signature == property.type else {
      return .failure(.invalidArguments("\(name) is of type “\(property.type)”"))
    }
    return set(name, to: wanted, of: publication, at: now)
  }

  private func set(
    _ name: String, to wanted: BusValue, of publication: Publication, at now: HostTime
  ) -> Answer {
    func asking(
      _ kind: CommandAvailability.Kind, _ request: RemoteCommandRequest
    ) -> Answer {
      publication.can(kind, at: now)
        ? .perform(request) : .failure(.readOnly("\(name) can't be changed now"))
    }
    switch (name, wanted) {
    case ("Rate", .double(let rate)):
      // "A value of 0.0 should act as though Pause was called."
      if rate == 0 { return pause(publication, at: now) }
      guard publication.can(.changeRate, at: now) else {
        return .failure(.readOnly("Rate can't be changed now"))
      }
      guard publication.commands.rates.contains(rate) else {
        let rates = publication.commands.rates
        return .failure(
          .invalidArguments("Rate must be between \(rates.lowerBound) and \(rates.upperBound)"))
      }
      return .perform(.changeRate(rate))
    case ("Volume", .double(let volume)):
      guard volume.isFinite else { return .failure(.invalidArguments("Volume must be a number")) }
      return asking(.changeVolume, .changeVolume(max(0, volume)))
    case ("LoopStatus", .string(let text)):
      guard let mode = Publication.repeatMode(named: text) else {
        return .failure(.invalidArguments("LoopStatus must be None, Track or Playlist"))
      }
      return asking(.changeRepeatMode, .changeRepeatMode(mode))
    case ("Shuffle", .bool(let isOn)): return asking(.changeShuffleMode, .changeShuffleMode(isOn))
    case ("Fullscreen", .bool(let isOn)): return asking(.changeFullscreen, .changeFullscreen(isOn))
    default: return .failure(.readOnly("\(name) can't be set"))
    }
  }

  // MARK: - The player

  private func player(
    _ call: BusCall, of publication: Publication, at now: HostTime
  ) -> Answer {
    func asking(
      _ kind: CommandAvailability.Kind, _ request: RemoteCommandRequest
    ) -> Answer {
      publication.can(kind, at: now) ? .perform(request) : .ignored
    }
    switch (call.member, call.arguments.first) {
    case ("Play", _): return play(publication, at: now)
    case ("Pause", _): return pause(publication, at: now)
    case ("PlayPause", _):
      guard publication.canPause(at: now) else {
        return .failure(.failed("playback can't be paused now"))
      }
      if publication.can(.togglePlayPause, at: now) { return .perform(.togglePlayPause) }
      return publication.status == "Playing"
        ? pause(publication, at: now) : play(publication, at: now)
    case ("Stop", _):
      guard publication.canControl else {
        return .failure(.failed("playback can't be controlled now"))
      }
      return asking(.stop, .stop)
    case ("Next", _): return publication.next(at: now).map(Answer.perform) ?? .ignored
    case ("Previous", _): return publication.previous(at: now).map(Answer.perform) ?? .ignored
    case ("Seek", .int64(let offset)?): return seek(by: offset, publication, at: now)
    case ("SetPosition", .objectPath(let track)?):
      guard case .int64(let position) = call.arguments[1] else { return .ignored }
      return setPosition(track, position, publication, at: now)
    case ("OpenUri", .string(let text)?):
      guard let url = Self.url(text, of: publication) else {
        return .failure(.failed("this URL can't be opened; supported: \(publication.schemes)"))
      }
      guard publication.has(.openURL) else {
        return .failure(.failed("this player doesn't open URLs"))
      }
      return publication.can(.openURL, at: now)
        ? .perform(.openURL(url)) : .failure(.failed("no URL can be opened now"))
    case ("Raise", _): return asking(.raise, .raise)
    case ("Quit", _): return asking(.quit, .quit)
    default: return .failure(.unknownMethod(call.member))
    }
  }

  private func play(_ publication: Publication, at now: HostTime) -> Answer {
    guard publication.canPlay(at: now), publication.status != "Playing" else { return .ignored }
    return .perform(publication.can(.play, at: now) ? .play : .togglePlayPause)
  }

  private func pause(_ publication: Publication, at now: HostTime) -> Answer {
    guard publication.canPause(at: now), publication.status == "Playing" else { return .ignored }
    return .perform(publication.can(.pause, at: now) ? .pause : .togglePlayPause)
  }

  private func seek(by offset: Int64, _ publication: Publication, at now: HostTime) -> Answer {
    guard let state = publication.state, publication.canSeek(at: now), offset != 0 else {
      return .ignored
    }
    let here = publication.position(at: now)
    let distance: Duration = MediaTime(microseconds: offset) - MediaTime.zero
    let target: MediaTime = max(MediaTime.zero, here + distance)
    if let length = state.item.contentDuration, target > MediaTime.zero + length {
      return publication.next(at: now).map(Answer.perform) ?? .ignored
    }
    let kind: CommandAvailability.Kind = offset > 0 ? .skipForward : .skipBackward
    if publication.can(kind, at: now) {
      let interval = (target - here).magnitude
      // Playback is at the start already.
      guard interval > Duration.zero else { return .ignored }
      return .perform(offset > 0 ? .skipForward(interval) : .skipBackward(interval))
    }
    guard publication.can(.changePosition, at: now) else { return .ignored }
    return .perform(.changePosition(state.item.adTimeRanges.itemTime(ofContentTime: target)))
  }

  private func setPosition(
    _ track: String, _ position: Int64, _ publication: Publication, at now: HostTime
  ) -> Answer {
    // A request that came too late for its track, or a position outside the track, is ignored.
    guard let state = publication.state, track == publication.currentTrack, position >= 0,
      publication.canSeek(at: now)
    else { return .ignored }
    let target = MediaTime(microseconds: position)
    if let length = state.item.contentDuration, target > MediaTime.zero + length { return .ignored }
    if publication.can(.changePosition, at: now) {
      return .perform(.changePosition(state.item.adTimeRanges.itemTime(ofContentTime: target)))
    }
    let distance: Duration = target - publication.position(at: now)
    guard distance != Duration.zero else { return .ignored }
    return .perform(
      distance > Duration.zero ? .skipForward(distance) : .skipBackward(distance.magnitude))
  }

  private static func url(_ text: String, of publication: Publication) -> URL? {
    guard text.utf8.count <= 8192, let url = URL(string: text),
      let scheme = url.scheme?.lowercased(), publication.description.urlSchemes.contains(scheme)
    else { return nil }
    return url
  }

  // MARK: - The queue

  private func trackList(
    _ call: BusCall, of publication: Publication, at now: HostTime
  ) -> Answer {
    switch (call.member, call.arguments.first) {
    case ("GetTracksMetadata", .array(of: _, let paths)?):
      let items = paths.compactMap { path -> BusValue? in
        guard case .objectPath(let path) = path, let item = publication.item(at: path) else {
          return nil
        }
        return .dictionary(publication.metadata(of: item))
      }
      return .reply([.array(of: "a{sv}", items)])
    case ("GoTo", .objectPath(let path)?):
      guard let item = publication.item(at: path), publication.can(.playQueueItem, at: now) else {
        return .ignored
      }
      return .perform(.playQueueItem(item.id))
    case ("RemoveTrack", .objectPath(let path)?):
      guard let item = publication.item(at: path), publication.can(.removeQueueItem, at: now)
      else { return .ignored }
      return .perform(.removeQueueItem(item.id))
    case ("AddTrack", .string(let text)?):
      guard publication.can(.addToQueue, at: now), case .objectPath(let after) = call.arguments[1],
        case .bool(let isCurrent) = call.arguments[2]
      else { return .ignored }
      guard let url = Self.url(text, of: publication) else {
        return .failure(.failed("this URL can't be added; supported: \(publication.schemes)"))
      }
      // If the entry is gone, the new one goes to the end.
      let entry = publication.item(at: after)?.id ?? publication.queue.last?.id
      return .perform(
        .addToQueue(
          AddToQueueEvent(
            url: url, after: after == TrackPath.none ? nil : entry, becomesCurrent: isCurrent)))
    default: return .failure(.unknownMethod(call.member))
    }
  }
}

extension RemoteCommandStatus {
  /// The answer to the requester.
  var answer: BusAnswer {
    switch self {
    case .success: .success([])
    case .noSuchContent:
      .failure(
        BusError(
          name: "org.freedesktop.DBus.Error.FileNotFound", message: "the content wasn't found"))
    case .noActionableNowPlayingItem: .failure(.failed("nothing is playing"))
    case .deviceNotFound: .failure(.failed("the device wasn't found"))
    case .commandFailed: .failure(.failed("the command failed; the player shows the reason"))
    }
  }
}

extension Publication {
  fileprivate var schemes: String { description.urlSchemes.joined(separator: ", ") }
}

extension BusValue {
  fileprivate var text: String {
    if case .string(let text) = self { text } else { signature }
  }
}
