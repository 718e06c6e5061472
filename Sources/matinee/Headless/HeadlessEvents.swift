import Foundation
import GroupActivities
import MPVPlayer
import PlaybackCoordination
import Screening
import Timekeeping

/// The events as a script reads them. They are an interface, which ``HeadlessReference`` documents for
/// matinee-headless(7).
enum HeadlessEvents {
  typealias Object = [String: any Sendable]

  static func objects(for event: TheaterEvent, in theater: Theater) async -> [Object] {
    switch event {
    case .hosting(let invite, let reach): return [hosting("hosting", invite, reach)]
    case .reach(let invite, let reach): return [hosting("invite", invite, reach)]
    case .joined(let me):
      return [
        ["event": "joined", "id": me.id.description, "name": me.name, "host": me.isHost],
        await participants(theater),
      ]
    case .participantJoined(let participant, let wasHere):
      return [
        [
          "event": "participant-joined", "id": participant.id.description, "name": participant.name,
          "wasHere": wasHere,
        ],
        await participants(theater),
      ]
    case .participantLeft(let participant, let announced):
      return [
        [
          "event": "participant-left", "id": participant.id.description, "name": participant.name,
          "announced": announced,
        ],
        await participants(theater),
      ]
    case .renamed(let participant, let old):
      return [
        [
          "event": "renamed", "id": participant.id.description, "name": participant.name,
          "from": old,
        ],
        await participants(theater),
      ]
    case .chat(let participant, let text):
      return [
        [
          "event": "chat", "from": participant.name, "id": participant.id.description, "text": text,
        ]
      ]
    case .reaction(let participant, let reaction):
      return [
        [
          "event": "reaction", "from": participant.name, "id": participant.id.description,
          "reaction": reaction.rawValue, "symbol": reaction.symbol,
        ]
      ]
    case .drawing:
      let status = await theater.status()
      return [drawing(status)]
    case .drawingBegan(let by, let again):
      return [["event": "drawing-began", "by": by, "again": again]]
    case .playlist:
      let status = await theater.status()
      return [["event": "playlist", "playlist": playlist(status)]]
    case .opened(let film):
      return [["event": "opened", "item": film.identifier, "title": film.title]]
    case .activity(let activity, let by, let cause):
      return [
        [
          "event": "activity", "item": activity.identifier,
          "title": PartyText.clean(activity.title, limit: 200),
          "url": activity.location.map { PartyText.clean($0, limit: 4096) } ?? NSNull(), "by": by,
          "cause": cause.rawValue,
        ]
      ]
    case .command(let change, let by):
      return [
        [
          "event": "command", "command": change.kind.rawValue, "by": by,
          "position": rounded(change.itemTime.seconds, 6), "rate": change.rate,
        ]
      ]
    case .waiting(let names, let until):
      return [
        [
          "event": "waiting", "for": names,
          "seconds": until.map { max(0, rounded(($0 - .now()).inSeconds, 3)) } ?? 0,
        ]
      ]
    case .suspension(let reasons): return [["event": "suspension", "reasons": reasons]]
    case .replayEnded(let end): return [["event": "replay-ended", "cause": end.rawValue]]
    case .rules(let rules, let old, let by):
      let status = await theater.status()
      return [
        [
          "event": "rules", "by": by, "control": rules.control.rawValue,
          "lifetime": rules.lifetime == .automatic ? "automatic" : "host",
          "waitFor": rules.waiting.rawValue, "closed": rules.admitted != nil,
          "changes": rules.changes(from: old, name: status.name(of:)),
        ],
        await participants(theater),
      ]
    case .readyCheck(let by): return [["event": "ready-check", "by": by]]
    case .latencyOffset(let offset, let device):
      return [
        [
          "event": "latency-offset", "ms": milliseconds(offset.duration),
          "device": device ?? NSNull(),
        ]
      ]
    case .video(let mode, let isClosed):
      return [["event": "video", "video": mode.name, "closed": isClosed]]
    case .ended: return [["event": "end-of-film"]]
    case .sessionEnded(let by): return [["event": "ended", "by": by]]
    case .partyClosed(let by): return [["event": "party-closed", "by": by]]
    case .left(let closing): return [["event": "left", "closed": closing]]
    case .connected(let server): return [["event": "connected", "relay": server]]
    case .disconnected(let reason): return [["event": "disconnected", "reason": reason]]
    case .mayOpen(let question):
      return [
        [
          "event": "confirm", "host": question.origin.host, "origin": "\(question.origin)",
          "url": question.location, "ownNetwork": question.network == .own,
          "commands": ["allow", "deny"],
        ]
      ]
    case .library(let progress):
      return [
        [
          "event": "library", "phase": "\(progress.phase)", "seen": progress.seen,
          "read": progress.read, "toRead": progress.toRead, "unreadable": progress.unreadable,
        ]
      ]
    case .listed(let listing): return [["event": listing.name, listing.name: listing.objects]]
    case .met(let participant, let before):
      return [
        [
          "event": "met", "id": participant.id.description, "name": participant.name,
          "as": before.name, "last": before.seenAt.formatted(.iso8601),
        ]
      ]
    case .warning(let text): return [["event": "warning", "message": text]]
    case .failed(let text): return [["event": "error", "message": text]]
    case .changed, .openWanted, .quitWanted, .userQuit: return []
    }
  }

  private static func hosting(_ event: String, _ invite: Invite, _ reach: Reach) -> Object {
    [
      "event": event, "invite": invite.text,
      "addresses": reach.places.map { place in
        ["address": place.address.text, "kind": place.kind.rawValue] as Object
      },
      "router": reach.router?.rawValue ?? NSNull(), "announced": reach.isAnnounced,
      "advice": reach.advice ?? NSNull(),
    ]
  }

  private static func drawing(_ status: TheaterStatus) -> Object {
    let strokes = status.drawing?.drawing.strokes ?? []
    return [
      "event": "drawing", "isDrawing": status.drawing?.isDrawing ?? false,
      "strokes": strokes.map { stroke in
        [
          "by": status.drawing?.authors[stroke.id.author] ?? "somebody",
          "points": stroke.points.map { point in
            let place = point.place
            return [rounded(place.x, 4), rounded(place.y, 4)]
          },
        ] as Object
      },
    ]
  }

  private static func participants(_ theater: Theater) async -> Object {
    let status = await theater.status()
    return ["event": "participants", "participants": roster(status)]
  }

  static func state(_ status: TheaterStatus) -> Object {
    let snapshot = status.coordinator
    let (name, waiting): (String, [String]) =
      switch snapshot.status {
      case .noItem: ("empty", [])
      case .paused: ("paused", [])
      case .playing: ("playing", [])
      case .waiting(let ids, _): ("waiting", ids.sorted().map(status.name(of:)))
      }
    var state: Object = [
      "event": "state",
      "item": snapshot.currentItemIdentifier.map(FilmIdentity.identifier(ofItem:)) ?? NSNull(),
      "title": status.film?.title ?? NSNull(),
      "status": name,
      "paused": name != "playing",
      "rate": snapshot.rate,
      "position": snapshot.itemTime.map { rounded($0.seconds, 6) } ?? NSNull(),
      "groupPosition": snapshot.groupItemTime.map { rounded($0.seconds, 6) } ?? NSNull(),
      "playerPosition": status.player.snapshot.itemTime.map { rounded($0.seconds, 6) } ?? NSNull(),
      "playerPaused": status.player.snapshot.isPaused,
      "duration": status.player.snapshot.duration.map { rounded($0.seconds, 3) } ?? NSNull(),
      "waitingFor": waiting,
      "suspensions": snapshot.suspensionReasons.map(\.rawValue),
      "syncErrorMs": milliseconds(status.sync?.error),
      "syncUncertaintyMs": milliseconds(status.sync?.uncertainty),
      "nudge": rounded(status.player.snapshot.nudge, 6),
      "latencyOffsetMs": milliseconds(status.latencyOffset.duration),
      "groupTime": status.groupTime.map { rounded(Double($0.nanoseconds) / 1e9, 6) } ?? NSNull(),
      "offsetMs": milliseconds(status.clock?.offset),
      "uncertaintyMs": milliseconds(status.clock?.uncertainty),
      "roundTripMs": milliseconds(status.clock?.roundTrip),
      "clockDriftPpm": status.clock.map { rounded($0.drift * 1e6, 2) } ?? NSNull(),
      "roster": roster(status),
    ]
    state["closedBy"] = status.partyEnding?.closer ?? NSNull()
    state["party"] = status.invite?.party.description ?? NSNull()
    state["playlist"] = playlist(status)
    state["mayControl"] = status.mayControl
    state["connected"] = status.isConnected
    state["rejected"] = status.rejected
    return state
  }

  private static func playlist(_ status: TheaterStatus) -> [Object] {
    guard let program = status.activity else { return [] }
    return program.playlist.entries.map { entry in
      [
        "item": entry.identifier, "title": PartyText.clean(entry.title, limit: 200),
        "url": entry.location.map { PartyText.clean($0, limit: 4096) } ?? NSNull(),
        "current": entry.id == program.current.id,
      ]
    }
  }

  private static func roster(_ status: TheaterStatus) -> [Object] {
    status.participants.map { participant in
      let other = status.coordinator.otherParticipants.first { $0.id == participant.id }
      let isMe = participant.id == status.me?.id
      let reasons = isMe ? status.coordinator.suspensionReasons : other?.suspensionReasons ?? []
      let item = isMe ? status.coordinator.currentItemIdentifier : other?.currentItemIdentifier
      let error = isMe ? status.sync?.error : other?.syncError
      let uncertainty = isMe ? status.sync?.uncertainty : other?.syncUncertainty
      let loaded = isMe ? status.player.snapshot.loadedPercent : other?.loadedPercent
      return [
        "id": participant.id.description, "name": participant.name, "host": participant.isHost,
        "role": participant.role == .coHost ? "co-host" : participant.role.rawValue, "you": isMe,
        "ready": status.isReady(participant.id),
        "suspensions": reasons.map(\.rawValue),
        "item": item.map(FilmIdentity.identifier(ofItem:)) ?? NSNull(),
        "syncErrorMs": milliseconds(error), "syncUncertaintyMs": milliseconds(uncertainty),
        "loadedPercent": loaded ?? NSNull(),
      ]
    }
  }

  private static func milliseconds(_ duration: Duration?) -> any Sendable {
    duration.map { rounded($0.inMilliseconds, 3) } ?? NSNull()
  }

  private static func rounded(_ value: Double, _ digits: Int) -> Double {
    let factor = pow(10, Double(digits))
    return (value * factor).rounded() / factor
  }
}

extension MPVConfiguration.VideoMode {
  /// The value as `--video` spells it.
  fileprivate var name: String {
    switch self {
    case .window: "window"
    case .frames: "terminal"
    case .none: "none"
    }
  }
}
