//! A structure as macros see it: its fields, and the head of an `impl`.
//!
//! Law: bounds are on the types of the fields, so that a structure is whatever all its fields are.

use proc_macro2::TokenStream as Tokens;
use quote::{format_ident, quote};
use syn::{Data, DeriveInput, Error, Fields, Generics, Ident, Member, Result, Type, parse_quote};

/// A structure.
pub(crate) struct Parts {
    pub(crate) name: Ident,
    pub(crate) members: Vec<Member>,
    pub(crate) types: Vec<Type>,
    /// What the fields are called.
    pub(crate) names: Vec<String>,
    generics: Generics,
    /// Whether it is said to be of handles, and to be of values.
    said: [bool; 2],
}

impl Parts {
    pub(crate) fn of(item: DeriveInput) -> Result<Self> {
        let DeriveInput { ident: name, generics, data, attrs, .. } = item;
        let Data::Struct(data) = data else {
            return Err(Error::new(name.span(), "only a structure has parts that are always there"));
        };
        let mut said = [false; 2];
        for attribute in attrs.iter().filter(|attribute| attribute.path().is_ident("nest")) {
            attribute.parse_nested_meta(|meta| {
                let which = ["handles", "values"].iter().position(|word| meta.path.is_ident(word));
                let which = which.ok_or_else(|| meta.error("expected `handles` or `values`"))?;
                said[which] = true;
                Ok(())
            })?;
        }
        if let Fields::Unit = data.fields {
            return Err(Error::new(name.span(), "a structure without fields has no parts"));
        }
        let members: Vec<Member> = data.fields.members().collect();
        let names = members.iter().map(|member| match member {
            Member::Named(name) => name.to_string().trim_start_matches("r#").to_owned(),
            Member::Unnamed(index) => index.index.to_string(),
        });
        let names = names.collect();
        let types = data.fields.into_iter().map(|field| field.ty).collect();
        Ok(Parts { name, members, types, names, generics, said })
    }

    /// Whether it may be of handles, and of values.
    pub(crate) fn sides(&self) -> Result<(bool, bool)> {
        let is_open = self.generics.type_params().next().is_some();
        match self.said {
            [false, false] if is_open => Ok((true, true)),
            [false, false] => Err(Error::new(
                self.name.span(),
                "a nest has its leaves as type parameters, or says of what it is, by `#[nest(handles)]` or `#[nest(values)]`",
            )),
            [handles, values] => Ok((handles, values)),
        }
    }

    /// The structure of these fields.
    pub(crate) fn made(&self, fields: impl Iterator<Item = Tokens>) -> Tokens {
        let (name, members) = (&self.name, &self.members);
        quote!(#name { #(#members: #fields),* })
    }

    /// A variable for each field.
    pub(crate) fn locals(&self) -> Vec<Ident> {
        (0..self.members.len()).map(|k| format_ident!("part_{k}")).collect()
    }

    /// The type parameter for the carrier, which is no other's.
    pub(crate) fn carrier(&self) -> Ident {
        format_ident!("__Carrier")
    }

    /// The one type parameter.
    pub(crate) fn one_parameter(&self, why: &str) -> Result<&Ident> {
        let wrong = || Error::new(self.name.span(), why);
        let mut all = self.generics.type_params();
        let (Some(one), None, 1) = (all.next(), all.next(), self.generics.params.len()) else { return Err(wrong()) };
        Ok(&one.ident)
    }

    /// `impl<…> of for Name<…> where each field: bound`, perhaps for all carriers.
    pub(crate) fn header(&self, bound: &Tokens, of: &Tokens, by_carrier: bool) -> Tokens {
        let (name, types) = (&self.name, &self.types);
        let mut generics = self.generics.clone();
        let (_, own, _) = self.generics.split_for_impl();
        generics
            .make_where_clause()
            .predicates
            .extend(types.iter().map(|of| -> syn::WherePredicate { parse_quote!(#of: #bound) }));
        if by_carrier {
            let carrier = self.carrier();
            generics.params.push(parse_quote!(#carrier));
        }
        let (parameters, _, bounds) = generics.split_for_impl();
        quote!(impl #parameters #of for #name #own #bounds)
    }
}
