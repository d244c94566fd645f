//! What an authenticator writes: its data, attestation objects and public keys, whole and broken.

use ciborium::Value as Cbor;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use uuid::Uuid;

use super::super::authenticator_data::{self, AuthenticatorData};
use super::super::public_key::{Algorithm, PublicKey};
use super::super::{MAX_ATTESTATION_OBJECT_BYTES, PasskeyError};
use super::authenticator::{Authenticator, ED, Response, UP, cbor, change, cose};
use super::{create, get, relying_party};

#[test]
fn new_key_has_the_id_of_the_response() {
    let error = Err(PasskeyError::CredentialId);
    assert_eq!(create(|response| response.id = vec![2; 20]), error);
    assert_eq!(create(|response| response.id.truncate(19)), error);
    // A length of 1,023 bytes is allowed, one more is not.
    let with_length = |length: u16| {
        create(|response| {
            response.id = vec![1; length.into()];
            response.data.id = [&length.to_be_bytes()[..], &response.id].concat();
        })
    };
    assert!(with_length(1023).is_ok());
    assert_eq!(with_length(1024), Err(PasskeyError::Member("rawId")));
    assert_eq!(with_length(0), Err(PasskeyError::Member("rawId")));
    // The length in the data leads past their end, or into the key.
    for length in [21_u16, 19, 0, u16::MAX] {
        let created = create(|response| {
            response.data.id.splice(..2, length.to_be_bytes());
        });
        assert!(created.is_err(), "{length}");
    }
}

#[test]
fn attestation_statements_are_ignored() {
    for format in ["none", "packed", "fido-u2f", "tpm", "apple", "unknown"] {
        let created = create(|response| {
            response.format = format;
            response.statement = Cbor::Map(vec![
                ("alg".into(), Cbor::from(-7)),
                ("sig".into(), Cbor::Bytes(vec![0; 70])),
                ("x5c".into(), Cbor::Array(vec![Cbor::Bytes(vec![0; 5000])])),
            ]);
        });
        assert!(created.is_ok(), "{format}");
    }
    let created = create(|response| response.statement = Cbor::Null);
    assert_eq!(created, Err(PasskeyError::AttestationObject));
}

#[test]
fn authenticator_data_have_a_key_and_fill_their_bytes() {
    let error = Err(PasskeyError::AuthenticatorData);
    // Without the flag the key is trailing data.
    assert_eq!(create(|response| response.data.flags = UP), error);
    let without_key = |response: &mut Response| {
        response.data.flags = UP;
        response.data.id = vec![];
        response.data.key = vec![];
    };
    assert_eq!(create(without_key), error);
    let with_rest = |flags: u8, rest: &[u8]| {
        let edit = |response: &mut Response| {
            response.data.flags |= flags;
            response.data.rest = rest.to_vec();
        };
        let (created, signed) = (create(edit), get(|_, response| edit(response)));
        assert_eq!(created.is_ok(), signed.is_ok());
        created.map(|_| ())
    };
    let extensions = cbor(&Cbor::Map(vec![("credProtect".into(), Cbor::from(2))]));
    assert_eq!(with_rest(ED, &extensions), Ok(()));
    for (flags, rest) in [
        (0, &extensions[..]),
        (0, &[0]),
        (ED, &[]),
        (ED, &[0x80]),
        (ED, &extensions[..extensions.len() - 1]),
        (ED, &[extensions.as_slice(), &[0]].concat()),
        // Lengths of 2^64 - 1 and 2^63, and none.
        (ED, &[0xbb, 255, 255, 255, 255, 255, 255, 255, 255]),
        (ED, &[0x5b, 128, 0, 0, 0, 0, 0, 0, 0]),
        (ED, &[0xbf]),
        (ED, &[0xa1; 2000]),
        (ED, &[0x81; 2000]),
        (ED, &[0xc1; 2000]),
    ] {
        assert_eq!(
            with_rest(flags, rest),
            Err(PasskeyError::AuthenticatorData),
            "{rest:?}"
        );
    }
}

#[test]
fn attestation_object_is_one_map_within_its_bound() {
    let relying_party = relying_party();
    let (options, challenge) = relying_party.creation_options(Uuid::nil(), "ada", "Ada", &[]);
    let credential = Authenticator::new(Algorithm::Es256, 1)
        .create(&options)
        .creation();
    let create = |edit: &dyn Fn(&mut Vec<u8>)| {
        let changed = change(&credential, "attestationObject", edit);
        relying_party
            .verify_creation(&challenge, &changed)
            .map(|_| ())
    };
    assert_eq!(create(&|_| ()), Ok(()));
    let mut length = 0;
    change(&credential, "attestationObject", |bytes| {
        length = bytes.len();
    });
    for length in 1..length {
        let error = Err(PasskeyError::AttestationObject);
        assert_eq!(create(&|bytes| bytes.truncate(length)), error, "{length}");
    }
    let error = Err(PasskeyError::AttestationObject);
    assert_eq!(create(&|bytes| bytes.push(0)), error);
    assert_eq!(create(&|bytes| *bytes = vec![0x81; 30_000]), error);
    assert_eq!(create(&|bytes| *bytes = vec![0xa1; 30_000]), error);
    assert_eq!(
        create(&|bytes| *bytes = vec![0x9b, 255, 255, 255, 255, 255, 255, 255, 255]),
        error
    );
    // `fmt` twice.
    let twice = |bytes: &mut Vec<u8>| {
        bytes[0] += 1;
        bytes.extend(cbor(&"fmt".into()));
        bytes.extend(cbor(&"none".into()));
    };
    assert_eq!(create(&twice), error);
    let error = Err(PasskeyError::Member("attestationObject"));
    assert_eq!(create(&Vec::clear), error);
    assert_eq!(
        create(&|bytes| bytes.resize(MAX_ATTESTATION_OBJECT_BYTES + 1, 0)),
        error
    );
}

#[test]
fn public_keys_are_valid_and_offered() {
    let bytes = |length: usize| Cbor::Bytes(vec![1; length]);
    let authenticator = Authenticator::new(Algorithm::Es256, 1);
    let good = authenticator.public_key();
    let coordinate = |range: std::ops::Range<usize>| Cbor::Bytes(good[range].to_vec());
    let (x, y) = (coordinate(10..42), coordinate(45..77));
    let ec = |key_type: i64, alg: i64, curve: i64, x: &Cbor, y: &Cbor| {
        cose(vec![
            (1, key_type.into()),
            (3, alg.into()),
            (-1, curve.into()),
            (-2, x.clone()),
            (-3, y.clone()),
        ])
    };
    let okp = |x: Cbor| {
        cose(vec![
            (1, 1.into()),
            (3, (-8).into()),
            (-1, 6.into()),
            (-2, x),
        ])
    };
    let rsa = |n: Cbor, e: Cbor| cose(vec![(1, 3.into()), (3, (-257).into()), (-1, n), (-2, e)]);
    let odd = |length: usize| Cbor::Bytes(vec![0xff; length]);
    let exponent = || Cbor::Bytes(vec![1, 0, 1]);
    let with_parameter = |length: usize| {
        let parameter = [cbor(&Cbor::from(-70_000)), cbor(&bytes(length))].concat();
        [&[good[0] + 1], &good[1..], &parameter].concat()
    };
    assert_eq!(ec(2, -7, 1, &x, &y), good);
    assert!(PublicKey::from_cose(&with_parameter(10)).is_ok());
    for (name, key, error) in [
        (
            "no algorithm",
            cose(vec![(1, 2.into())]),
            PasskeyError::Algorithm,
        ),
        (
            "algorithm none",
            ec(2, 0, 1, &x, &y),
            PasskeyError::Algorithm,
        ),
        ("ES384", ec(2, -35, 2, &x, &y), PasskeyError::Algorithm),
        ("HS256", ec(4, 5, 1, &x, &y), PasskeyError::Algorithm),
        ("RS1", ec(3, -65535, 1, &x, &y), PasskeyError::Algorithm),
        ("other type", ec(1, -7, 1, &x, &y), PasskeyError::PublicKey),
        ("other curve", ec(2, -7, 2, &x, &y), PasskeyError::PublicKey),
        (
            "not on the curve",
            ec(2, -7, 1, &y, &x),
            PasskeyError::PublicKey,
        ),
        (
            "zeros",
            ec(
                2,
                -7,
                1,
                &Cbor::Bytes(vec![0; 32]),
                &Cbor::Bytes(vec![0; 32]),
            ),
            PasskeyError::PublicKey,
        ),
        (
            "compressed",
            ec(2, -7, 1, &x, &Cbor::Bool(true)),
            PasskeyError::PublicKey,
        ),
        (
            "short",
            ec(2, -7, 1, &bytes(31), &y),
            PasskeyError::PublicKey,
        ),
        (
            "long",
            ec(2, -7, 1, &bytes(33), &y),
            PasskeyError::PublicKey,
        ),
        (
            "EdDSA as ES256",
            ec(2, -8, 1, &x, &y),
            PasskeyError::PublicKey,
        ),
        ("Ed25519, short", okp(bytes(31)), PasskeyError::PublicKey),
        (
            "Ed25519, small order",
            okp(Cbor::Bytes([&[1_u8][..], &[0; 31]].concat())),
            PasskeyError::PublicKey,
        ),
        ("Ed25519, text", okp("x".into()), PasskeyError::PublicKey),
        (
            "RSA, 1024 bits",
            rsa(odd(128), exponent()),
            PasskeyError::PublicKey,
        ),
        (
            "RSA, 4104 bits",
            rsa(odd(513), exponent()),
            PasskeyError::PublicKey,
        ),
        (
            "RSA, huge",
            rsa(odd(60_000), exponent()),
            PasskeyError::PublicKey,
        ),
        (
            "RSA, exponent 1",
            rsa(odd(256), Cbor::Bytes(vec![1])),
            PasskeyError::PublicKey,
        ),
        (
            "RSA, huge exponent",
            rsa(odd(256), odd(256)),
            PasskeyError::PublicKey,
        ),
        ("RSA, empty", rsa(odd(0), odd(0)), PasskeyError::PublicKey),
        (
            "a key twice",
            [&[good[0] + 1], &good[1..], &[1, 2]].concat(),
            PasskeyError::PublicKey,
        ),
        (
            "another parameter, too long",
            with_parameter(1000),
            PasskeyError::PublicKey,
        ),
        (
            "trailing data",
            [&good[..], &[0]].concat(),
            PasskeyError::PublicKey,
        ),
        (
            "truncated",
            good[..good.len() - 1].to_vec(),
            PasskeyError::PublicKey,
        ),
        ("no map", vec![0x80], PasskeyError::PublicKey),
        ("nothing", vec![], PasskeyError::PublicKey),
    ] {
        assert_eq!(PublicKey::from_cose(&key).unwrap_err(), error, "{name}");
        // A key in authenticator data has no bytes after it: they would be trailing there.
        let created = create(|response| response.data.key = key);
        assert!(created.is_err(), "{name}");
    }
}

/// Whatever bytes arrive, an error is returned. 20,000 texts with random changes, of a fixed seed.
#[test]
fn random_bytes_panic_nowhere() {
    let mut rng = StdRng::seed_from_u64(1);
    let relying_party = relying_party();
    let (options, _) = relying_party.creation_options(Uuid::nil(), "ada", "Ada", &[]);
    let authenticator = Authenticator::new(Algorithm::Es256, 1);
    let credential = authenticator.create(&options).creation();
    let mut object = vec![];
    change(&credential, "attestationObject", |bytes| {
        object.clone_from(bytes);
    });
    let data = authenticator_data::from_attestation_object(&object).unwrap();
    let key = authenticator.public_key();
    let mut accepted = 0;
    for _ in 0..20_000 {
        let mut change = |bytes: &[u8]| {
            let mut bytes = bytes.to_vec();
            for _ in 0..rng.random_range(1..4) {
                let index = rng.random_range(0..bytes.len());
                bytes[index] = rng.random();
            }
            bytes.truncate(rng.random_range(bytes.len() / 2..bytes.len() * 2));
            bytes
        };
        accepted +=
            usize::from(authenticator_data::from_attestation_object(&change(&object)).is_ok());
        accepted += usize::from(AuthenticatorData::read(&change(&data)).is_ok());
        accepted += usize::from(PublicKey::from_cose(&change(&key)).is_ok());
    }
    assert!((1000..50_000).contains(&accepted), "{accepted}");
}
